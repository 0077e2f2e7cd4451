/* Conformance of types.h, l3_types.h, limits.h, dvm.h, dvec.h, sha256.h, commitment.h and oracle.h. */

#include "conformance.h"

#include "axilog/commitment.h"
#include "axilog/dvec.h"
#include "axilog/dvm.h"
#include "axilog/dvm_compat.h"
#include "axilog/limits.h"
#include "axilog/oracle.h"
#include "axilog/sha256.h"
#include "axilog/types.h"

/* Stands where a declaration may, as often as a rig likes, with and without what to say. */
AX_L3_STATIC_ASSERT(sizeof(ax_l3_fault_flags_t) == 16, "sixteen bytes");
AX_L3_STATIC_ASSERT(offsetof(ct_fault_flags_t, domain) == 5, "domain");
AX_L3_STATIC_ASSERT(1);

#ifdef AXILOG_COMPAT_1_0
#define SIZE_OF_BASE 16
#else
#define SIZE_OF_BASE 8
#endif

static void structs(void)
{
    AX_L3_STATIC_ASSERT(sizeof(ct_fault_flags_t) == SIZE_OF_BASE, "in a block too");
    size_t i;
    CHECK(sizeof(ct_fault_flags_t) == SIZE_OF_BASE && sizeof(ax_l3_fault_flags_t) == 16);
    CHECK(offsetof(ct_fault_flags_t, overflow) == 0 && offsetof(ct_fault_flags_t, underflow) == 1);
    CHECK(offsetof(ct_fault_flags_t, div_zero) == 2 && offsetof(ct_fault_flags_t, saturation) == 3);
    CHECK(offsetof(ct_fault_flags_t, narrowing) == 4 && offsetof(ct_fault_flags_t, ledger_fail) == 6);
    CHECK(offsetof(ax_l3_fault_flags_t, precision) == 8 && offsetof(ax_l3_fault_flags_t, encoding) == 9);
    CHECK(offsetof(ax_l3_fault_flags_t, schema) == 10 && offsetof(ax_l3_fault_flags_t, ordering) == 11);
    CHECK(offsetof(ax_l3_fault_flags_t, size) == 12 && offsetof(ax_l3_fault_flags_t, protocol) == 13);

    /* Each flag is a fault; what is reserved or padding is none. */
    for (i = 0; i < sizeof *l3; i++) {
        memset(l3, 0, sizeof *l3);
        ((uint8_t *)l3)[i] = 1;
        CHECK(ax_l3_fault_any(l3) == !holds_no_flag(i));
    }
    for (i = 0; i < sizeof *base; i++) {
        memset(base, 0, sizeof *base);
        ((uint8_t *)base)[i] = 1;
        CHECK(ct_fault_any(base) == !holds_no_flag(i));
    }

    memset(base, 0xFF, sizeof *base);
    ct_fault_init(base);
    CHECK(is_all(base, sizeof *base, 0) && ct_fault_any(base) == 0);
    memset(base, 0xFF, sizeof *base);
    ct_fault_clear(base);
    CHECK(is_all(base, sizeof *base, 0));
    memset(l3, 0xFF, sizeof *l3);
    ax_l3_fault_init(l3);
    CHECK(is_all(l3, sizeof *l3, 0) && ax_l3_fault_any(l3) == 0);
    ct_fault_init(NULL);
    ct_fault_clear(NULL);
    ax_l3_fault_init(NULL);
    CHECK(ct_fault_any(NULL) == 1 && ax_l3_fault_any(NULL) == 1);
    l3_clear();
}

static void numbers(void)
{
    CHECK(AX_MAX_OBS_BYTES == 65536 && AX_HASH_SIZE == 32 && AX_HASH_HEX_SIZE == 65);
    CHECK(AX_MAX_ORACLE_ID_BYTES == 256 && AX_MAX_MODEL_ID_BYTES == 256);
    CHECK(AX_POLICY_MAX_COUNT == 64 && AX_POLICY_ID_MAX_LEN == 64 && AX_MAX_OUTPUT_BYTES == 64512);
    CHECK(AX_CANONICAL_BUFFER_SIZE == 131072 && AX_PARAMS_BUFFER_SIZE == 256);
    CHECK(sizeof(q16_16_t) == 4 && Q16_16_ONE == 65536 && Q16_16_HALF == 32768);
    CHECK(Q16_16_MAX == INT32_MAX && Q16_16_MIN == INT32_MIN);
    CHECK(Q16_16_FROM_INT(-3) == -196608 && Q16_16_FROM_INT(1 + 1) == 131072);
    CHECK(Q16_16_FROM_INT(32767) == 2147418112 && Q16_16_FROM_INT(-32768) == INT32_MIN);
    CHECK_STR(AX_TAG_STATE, "AX:STATE:v1");
    CHECK_STR(AX_TAG_TRANS, "AX:TRANS:v1");
    CHECK_STR(AX_TAG_OBS, "AX:OBS:v1");
    CHECK_STR(AX_TAG_POLICY, "AX:POLICY:v1");
    CHECK_STR(AX_TAG_PROOF, "AX:PROOF:v1");
    CHECK_STR(AX_CHAIN_LEDGER, "AX:LEDGER:v1");
    CHECK_STR(AX_OBS_SCHEMA_VERSION, "AX:OBS:v1");
    CHECK(AX_COMPLETION_COMPLETE == 0 && AX_COMPLETION_TRUNCATED == 1 && AX_COMPLETION_ERROR == 2);
    CHECK(AX_FAILURE_NULL == 0 && AX_FAILURE_TIMEOUT == 1);
    CHECK(AX_FAILURE_INVALID_OUTPUT == 2 && AX_FAILURE_TRANSPORT_ERROR == 3);
}

static void codes(void)
{
    const int all[] = { AX_OK,       AX_ERR_ENCODING, AX_ERR_SCHEMA,   AX_ERR_ORDERING, AX_ERR_SIZE,
                        AX_ERR_HASH, AX_ERR_BUFFER,   AX_ERR_PROTOCOL, AX_ERR_LEDGER };
    int i;
    int j;
    for (i = 0; i < 9; i++) {
        CHECK(all[i] == -i && ax_strerror(-i) != NULL && ax_strerror(-i)[0] != '\0');
        for (j = 0; j < i; j++) {
            CHECK(strcmp(ax_strerror(-i), ax_strerror(-j)) != 0);
        }
    }
    CHECK_STR(ax_strerror(1), "unknown code");
    CHECK_STR(ax_strerror(-9), "unknown code");
}

static void parameters(void)
{
    ax_oracle_params_t *params = (ax_oracle_params_t *)guarded(sizeof *params);
    memset(params, 0x5A, sizeof *params);
    CHECK(!ax_params_max_tokens_is_null(params) && !ax_params_seed_is_null(params));
    CHECK(!ax_params_temperature_is_null(params) && !ax_params_top_p_is_null(params));
    ax_oracle_params_init_null(params);
    CHECK(params->max_tokens == -1 && params->seed == -1);
    CHECK(params->temperature == INT32_MIN && params->top_p == INT32_MIN);
    CHECK(ax_params_max_tokens_is_null(params) && ax_params_seed_is_null(params));
    CHECK(ax_params_temperature_is_null(params) && ax_params_top_p_is_null(params));
    ax_oracle_params_init_null(NULL);
}

static void arithmetic(void)
{
    const int over = OVERFLOW_ | SATURATION_;
    const int under = UNDERFLOW_ | SATURATION_;
    CHECK(dvm_add_q16(Q16_16_FROM_INT(2), Q16_16_HALF, base) == 163840 && base_taken() == 0);
    CHECK(dvm_add_q16(Q16_16_MAX, 0, base) == Q16_16_MAX && base_taken() == 0);
    CHECK(dvm_add_q16(Q16_16_MAX, 1, base) == Q16_16_MAX && base_taken() == over);
    CHECK(dvm_add_q16(Q16_16_MIN, -1, base) == Q16_16_MIN && base_taken() == under);
    CHECK(dvm_sub_q16(1, 2, base) == -1 && base_taken() == 0);
    CHECK(dvm_sub_q16(Q16_16_MIN, 1, base) == Q16_16_MIN && base_taken() == under);
    CHECK(dvm_sub_q16(Q16_16_MAX, -1, base) == Q16_16_MAX && base_taken() == over);
    CHECK(dvm_mul_q16(Q16_16_FROM_INT(3), Q16_16_HALF, base) == 98304 && base_taken() == 0);
    CHECK(dvm_mul_q16(Q16_16_MAX, Q16_16_MAX, base) == Q16_16_MAX && base_taken() == over);
    CHECK(dvm_mul_q16(Q16_16_MAX, Q16_16_MIN, base) == Q16_16_MIN && base_taken() == under);
    CHECK(dvm_div_q16(Q16_16_FROM_INT(6), Q16_16_FROM_INT(2), base) == Q16_16_FROM_INT(3));
    CHECK(base_taken() == 0);
    CHECK(dvm_div_q16(1, 0, base) == 0 && base_taken() == DIV_ZERO_);
    CHECK(dvm_div_q16(Q16_16_MIN, -1, base) == Q16_16_MAX && base_taken() == over);
    CHECK(dvm_div_q16(Q16_16_MIN, 1, base) == Q16_16_MIN && base_taken() == under);

    /* Flags stay until the rig clears them. */
    CHECK(dvm_div_q16(1, 0, base) == 0 && dvm_add_q16(1, 1, base) == 2);
    CHECK(base_taken() == DIV_ZERO_);
    CHECK(dvm_add_q16(1, 1, NULL) == 0 && dvm_sub_q16(2, 1, NULL) == 0);
    CHECK(dvm_mul_q16(Q16_16_ONE, 1, NULL) == 0 && dvm_div_q16(1, 1, NULL) == 0);
}

/* Lengths around the blocks of SHA-256. */
static void hashing(void)
{
    static const struct {
        size_t len;
        const char *digest;
    } OF_A[] = {
        { 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
        { 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
        { 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
        { 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
        { 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
        { 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb" },
        { 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c" },
    };
    uint8_t *out = (uint8_t *)guarded(32);
    size_t i;
    for (i = 0; i < sizeof OF_A / sizeof OF_A[0]; i++) {
        uint8_t *data = (uint8_t *)guarded(OF_A[i].len);
        memset(data, 'a', OF_A[i].len);
        axilog_sha256(out, data, OF_A[i].len);
        CHECK(is_hex(out, 32, OF_A[i].digest));
        memset(out, 0, 32);
        ax_sha256(out, data, OF_A[i].len);
        CHECK(is_hex(out, 32, OF_A[i].digest));
    }
    axilog_sha256(out, NULL, 0);
    CHECK(is_hex(out, 32, OF_A[0].digest));
    axilog_sha256(out, NULL, 1);
    CHECK(is_all(out, 32, 0));
    axilog_sha256(NULL, out, 32);
    ax_sha256(NULL, out, 32);
}

static void committing(void)
{
    static const uint8_t MESSAGE[] = { 'T', ':', 'x', '1', 3, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c' };
    const uint8_t *payload = MESSAGE + 12;
    uint8_t expected[32];
    uint8_t *out = (uint8_t *)guarded(32);
    axilog_sha256(expected, MESSAGE, sizeof MESSAGE);
    axilog_commit("T:x1", payload, 3, out, base);
    CHECK(memcmp(out, expected, 32) == 0 && base_taken() == 0);
    axilog_commit("", NULL, 0, out, base);
    CHECK(is_hex(out, 32, "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc"));
    CHECK(base_taken() == 0);

#define FAILS(tag, data, len) \
    memset(out, UNTOUCHED, 32); \
    axilog_commit(tag, data, len, out, base); \
    CHECK(is_all(out, 32, 0) && base_taken() == DOMAIN_)
    FAILS(NULL, payload, 3);
    FAILS(NULL, NULL, 0);
    FAILS(AX_TAG_OBS, NULL, 1);
    FAILS(AX_TAG_OBS, payload, UINT64_MAX);
#undef FAILS
    axilog_commit(AX_TAG_OBS, payload, 3, NULL, base);
    CHECK(base_taken() == DOMAIN_);
    memset(out, UNTOUCHED, 32);
    axilog_commit(AX_TAG_OBS, payload, 3, out, NULL);
    CHECK(is_all(out, 32, UNTOUCHED));
}

/* A digest piece by piece is that of the whole, wherever it is cut; what was ended can go on from the beginning. */
static void pieces(void)
{
    uint8_t data[200];
    uint8_t whole[32];
    uint8_t hash[32];
    ax_sha256_ctx_t *digest = (ax_sha256_ctx_t *)guarded(sizeof *digest);
    size_t i;
    for (i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(7 * i);
    }
    axilog_sha256(whole, data, sizeof data);
    memset(digest, UNTOUCHED, sizeof *digest);
    ax_sha256_init(digest);
    for (i = 0; i <= sizeof data; i += 25) {
        ax_sha256_update(digest, data, i);
        ax_sha256_update(digest, NULL, 0);
        ax_sha256_update(digest, data + i, sizeof data - i);
        ax_sha256_final(digest, hash);
        CHECK(memcmp(hash, whole, 32) == 0);
    }
    ax_sha256_final(digest, hash);
    CHECK(is_hex(hash, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    ax_sha256_init(NULL);
    ax_sha256_update(NULL, data, 1);
    ax_sha256_final(NULL, hash);
    ax_sha256_final(digest, NULL);
}

/* Byte orders, and the names of deployed modules. */
static void orders(void)
{
    uint8_t out[8];
    axilog_le64_encode(0x0102030405060708U, out);
    CHECK(is_hex(out, 8, "0807060504030201") && axilog_le64_decode(out) == 0x0102030405060708U);
    axilog_be64_encode(0x0102030405060708U, out);
    CHECK(is_hex(out, 8, "0102030405060708"));
    axilog_be32_encode(0xFEDCBA98U, out);
    CHECK(is_hex(out, 4, "fedcba98") && axilog_be32_decode(out) == 0xFEDCBA98U);
    CHECK_STR(DVM_CHAIN_LEDGER, "DVM:LEDGER:v1");
    CHECK(DVEC_CLASS_D1 == 1 && DVEC_CLASS_D2 == 2 && DVEC_CLASS_D3 == 3);
}

int main(void)
{
    conformance_begin();
    structs();
    numbers();
    codes();
    parameters();
    arithmetic();
    hashing();
    committing();
    pieces();
    orders();
    return conformance_end();
}
