#include "runs/questions.h"

#include <stdatomic.h>
#include <string.h>

#include "base/ensure.h"
#include "base/signals.h"
#include "base/text.h"
#include "runs/retry.h"

static void count(struct questions_tally *tally, char letter)
{
    tally->safe += letter == QUESTION_SAFE;
    tally->unsafe += letter == QUESTION_UNSAFE;
    tally->unknown += letter != QUESTION_SAFE && letter != QUESTION_UNSAFE;
    tally->contradiction |= letter == QUESTION_CONTRADICTION;
}

// Those that the first start answered. How many.
static size_t recall(const struct questions_loop *loop, struct text *answers,
                     struct questions_tally *out)
{
    const char *known = loop->again ? "" : retry_answered();
    size_t i = 0;
    for (; known[i] != '\0' && i < loop->count; i++) {
        text_add_char(answers, known[i]);
        count(out, known[i]);
        if (loop->answered != NULL)
            loop->answered(loop->context, i, known[i]);
    }
    return i;
}

void questions_ask(const struct questions_loop *loop, struct questions_tally *out)
{
    struct text answers;
    text_init(&answers);
    *out = (struct questions_tally){0};
    bool begun = loop->begun;
    for (size_t i = recall(loop, &answers, out);
         i < loop->count && !out->stopped && atomic_load(signals_flag()) == 0; i++) {
        retry_note_answers(text_string(&answers));
        if (!begun)
            run_settings_start(loop->settings);
        begun = false;
        char letter = loop->ask(loop->context, i);
        loop->settings->first_seconds = 0;
        out->stopped = letter == QUESTION_STOP;
        if (out->stopped)
            break;
        text_add_char(&answers, letter);
        count(out, letter);
    }
    // The last line is made of these: none counts twice, none is lost.
    ENSURE(out->safe + out->unsafe + out->unknown == answers.length &&
           answers.length <= loop->count);
    text_finish(&answers);
}
