/* dvm.h: every vector of tests/vectors/q16.json, on flags of seven bytes. */

#include "axilog/dvm.h"

#include "flags.h"
#include "vectors.h"

static int32_t apply(char operation, int32_t a, int32_t b, ct_fault_flags_t *faults)
{
    switch (operation) {
    case '+':
        return dvm_add_q16(a, b, faults);
    case '-':
        return dvm_sub_q16(a, b, faults);
    case '*':
        return dvm_mul_q16(a, b, faults);
    default:
        return dvm_div_q16(a, b, faults);
    }
}

int main(void)
{
    short_flags_t flags;
    size_t i;
    for (i = 0; i < Q16_COUNT; i++) {
        const q16_vector_t *v = &Q16[i];
        short_flags_init(&flags);
        CHECK(apply(v->operation, v->a, v->b, &flags.whole) == v->result);
        CHECK(flags.whole.overflow == v->overflow && flags.whole.underflow == v->underflow);
        CHECK(flags.whole.div_zero == v->div_zero && flags.whole.saturation == v->saturation);
        CHECK(is_all(flags.bytes + 4, 3, 0) && short_flags_kept(&flags));
    }

    /* Flags are only ever set. */
    short_flags_init(&flags);
    CHECK(dvm_add_q16(Q16_16_MAX, 1, &flags.whole) == Q16_16_MAX);
    CHECK(dvm_add_q16(1, 1, &flags.whole) == 2);
    CHECK(dvm_div_q16(1, 0, &flags.whole) == 0);
    CHECK(dvm_sub_q16(Q16_16_MIN, 1, &flags.whole) == Q16_16_MIN);
    CHECK(is_all(flags.bytes, 4, 1) && is_all(flags.bytes + 4, 3, 0));
    CHECK(short_flags_kept(&flags));

    CHECK(dvm_add_q16(1, 1, NULL) == 0);
    CHECK(dvm_sub_q16(1, 2, NULL) == 0);
    CHECK(dvm_mul_q16(Q16_16_ONE, 1, NULL) == 0);
    CHECK(dvm_div_q16(1, 1, NULL) == 0);
    return check_end();
}
