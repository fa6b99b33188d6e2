#ifndef REGATTA_LANGUAGES_SOLIDITY_KECCAK_H
#define REGATTA_LANGUAGES_SOLIDITY_KECCAK_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Keccak-256 as the chain has it: the padding of the competition, not that of FIPS 202. docs/bibliography.md: [Bertoni11].
void sol_keccak256(const uint8_t *data, size_t bytes, uint8_t out[32]);

// The hash of a string that is a number, its contents and its length (docs/solidity.md); false when there is no such string
// (more contents than bytes) or when it is too long to look at.
bool sol_keccak256_of_code(mpz_srcptr code, mpz_ptr hash);

#endif
