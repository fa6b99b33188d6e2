#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/random.h"

static void assert_hash(struct hash128 h, const char *expected)
{
    char text[33];
    hash128_print(h, text);
    assert_string_equal(text, expected);
}

// Fingerprints of configurations and keys of records are made of these: they must never change.
static void hashes_are_the_same_everywhere(void **state)
{
    (void)state;
    assert_hash(hash128_seed(0), "8209b480faed1b10e220a8397b1dcdaf");
    assert_hash(hash128_add(hash128_seed(1), 2), "6e4bbb5236250124007feadd06a9b856");
    assert_hash(hash128_add_text(hash128_seed(3), "a text of more than one word"),
                "79e06a3d6876b52d792022787fac93ce");
}

static void content_order_and_borders_count(void **state)
{
    (void)state;
    struct hash128 h = hash128_seed(7);
    assert_false(hash128_equal(h, hash128_seed(8)));
    assert_false(
        hash128_equal(hash128_add(hash128_add(h, 1), 2), hash128_add(hash128_add(h, 2), 1)));
    assert_false(hash128_equal(hash128_add_text(hash128_add_text(h, "ab"), "c"),
                               hash128_add_text(hash128_add_text(h, "a"), "bc")));
    assert_false(hash128_equal(hash128_add_text(h, ""), h));
    assert_false(hash128_equal(hash128_add_bytes(h, "\0", 1), hash128_add_bytes(h, "", 0)));
    assert_true(
        hash128_equal(hash128_add_text(h, "12345678"), hash128_add_bytes(h, "12345678", 8)));
}

static void single_bits_reach_all_bits(void **state)
{
    (void)state;
    struct hash128 zero = hash128_add(hash128_seed(0), 0);
    for (int bit = 0; bit < 64; bit++) {
        struct hash128 h = hash128_add(hash128_seed(0), (uint64_t)1 << bit);
        int low = __builtin_popcountll(h.low ^ zero.low);
        int high = __builtin_popcountll(h.high ^ zero.high);
        assert_in_range(low, 12, 52);
        assert_in_range(high, 12, 52);
    }
}

static void random_numbers_repeat_and_spread(void **state)
{
    (void)state;
    struct random a, b, c;
    random_init(&a, 42);
    random_init(&b, 42);
    random_init(&c, 43);
    unsigned count[10] = {0};
    bool differ = false;
    for (int i = 0; i < 10000; i++) {
        uint64_t x = random_next(&a);
        assert_true(x == random_next(&b));
        differ |= x != random_next(&c);
        count[random_below(&c, 10)]++;
    }
    assert_true(differ);
    for (int i = 0; i < 10; i++)
        assert_in_range(count[i], 850, 1150);
    assert_true(random_below(&a, 1) == 0);
    assert_true(random_derive(1, "x") == random_derive(1, "x"));
    assert_true(random_derive(1, "x") != random_derive(1, "y"));
    assert_true(random_derive(1, "x") != random_derive(2, "x"));
}

// Numbers of few hashes, so that chains wrap around and meet: all are found, in the order of adding.
static void an_index_finds_what_was_added(void **state)
{
    (void)state;
    enum { HASHES = 37, NUMBERS = 2000 };
    struct hash_index index = {0};
    for (int round = 0; round < 2; round++) {
        struct hash_probe nothing = hash_index_probe(&index, 5);
        uint32_t number;
        assert_false(hash_index_next(&index, &nothing, &number));
        for (uint32_t n = 0; n < NUMBERS; n++) {
            hash_index_add(&index, 0xfffffff0u + n % HASHES, n);
            if (n % 97 != 0)
                continue;
            for (uint32_t h = 0; h < HASHES; h++) {
                uint32_t expected = h;
                struct hash_probe probe = hash_index_probe(&index, 0xfffffff0u + h);
                for (; hash_index_next(&index, &probe, &number); expected += HASHES)
                    assert_int_equal(number, expected);
                assert_true(expected > n && (n < HASHES || expected <= n + HASHES));
            }
        }
        hash_index_clear(&index);
    }
    hash_index_finish(&index);
}

static void clocks_go_forward(void **state)
{
    (void)state;
    int64_t wall = clock_wall_ns(), thread = clock_thread_cpu_ns();
    int64_t process = clock_process_cpu_ns();
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 1000000; i++)
        sum = sum + i;
    assert_true(clock_wall_ns() > wall);
    assert_true(clock_thread_cpu_ns() > thread);
    assert_true(clock_process_cpu_ns() > process);
    assert_true(clock_epoch_ms() > (int64_t)1700000000 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_the_same_everywhere),
        cmocka_unit_test(content_order_and_borders_count),
        cmocka_unit_test(single_bits_reach_all_bits),
        cmocka_unit_test(random_numbers_repeat_and_spread),
        cmocka_unit_test(an_index_finds_what_was_added),
        cmocka_unit_test(clocks_go_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
