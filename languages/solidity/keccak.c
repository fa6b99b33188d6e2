#include "languages/solidity/keccak.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

#define RATE 136 // bytes
#define ROUNDS 24
#define LONGEST (1UL << 20)

static const uint64_t CONSTANTS[ROUNDS] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

static uint64_t turned(uint64_t x, unsigned n)
{
    return n == 0 ? x : (x << n) | (x >> (64 - n));
}

static void mix_columns(uint64_t a[25])
{
    uint64_t parity[5];
    for (int x = 0; x < 5; x++)
        parity[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    for (int i = 0; i < 25; i++)
        a[i] ^= parity[(i + 4) % 5] ^ turned(parity[(i + 1) % 5], 1);
}

// Each lane turned by its triangular number, on its way to another place.
static void move_lanes(uint64_t a[25])
{
    int x = 1, y = 0;
    uint64_t carried = a[1];
    for (unsigned t = 0; t < 24; t++) {
        int next = (2 * x + 3 * y) % 5;
        x = y;
        y = next;
        uint64_t there = a[x + 5 * y];
        a[x + 5 * y] = turned(carried, (t + 1) * (t + 2) / 2 % 64);
        carried = there;
    }
}

static void mix_rows(uint64_t a[25])
{
    for (int y = 0; y < 25; y += 5) {
        uint64_t row[5];
        memcpy(row, a + y, sizeof row);
        for (int x = 0; x < 5; x++)
            a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
}

static void permute(uint64_t a[25])
{
    for (int round = 0; round < ROUNDS; round++) {
        mix_columns(a);
        move_lanes(a);
        mix_rows(a);
        a[0] ^= CONSTANTS[round];
    }
}

static void absorb(uint64_t a[25], const uint8_t block[RATE])
{
    for (int i = 0; i < RATE; i++)
        a[i / 8] ^= (uint64_t)block[i] << (8 * (i % 8));
    permute(a);
}

void sol_keccak256(const uint8_t *data, size_t bytes, uint8_t out[32])
{
    uint64_t a[25] = {0};
    uint8_t last[RATE] = {0};
    for (; bytes >= RATE; bytes -= RATE, data += RATE)
        absorb(a, data);
    assert(bytes < RATE);
    if (bytes > 0)
        memcpy(last, data, bytes);
    last[bytes] ^= 0x01;
    last[RATE - 1] ^= 0x80;
    absorb(a, last);
    for (int i = 0; i < 32; i++)
        out[i] = (uint8_t)(a[i / 8] >> (8 * (i % 8)));
}

bool sol_keccak256_of_code(mpz_srcptr code, mpz_ptr hash)
{
    mpz_t contents, length;
    mpz_init(contents);
    mpz_init(length);
    mpz_fdiv_r_2exp(length, code, 64);
    mpz_fdiv_q_2exp(contents, code, 64);
    bool good = mpz_sgn(code) >= 0 && mpz_cmp_ui(length, LONGEST) < 0;
    size_t bytes = good ? mpz_get_ui(length) : 0,
           used = mpz_sgn(contents) == 0 ? 0 : (mpz_sizeinbase(contents, 2) + 7) / 8;
    good = good && used <= bytes;
    if (good) {
        uint8_t *data = memory_zalloc(bytes + 1), digest[32];
        assert(used <= bytes && bytes < LONGEST);
        mpz_export(data + bytes - used, NULL, 1, 1, 1, 0, contents);
        sol_keccak256(data, bytes, digest);
        mpz_import(hash, sizeof digest, 1, 1, 1, 0, digest);
        memory_free(data);
    }
    mpz_clear(contents);
    mpz_clear(length);
    return good;
}
