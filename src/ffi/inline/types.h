/**
 * Clears every fault flag; no other function of this interface clears one.
 *
 * @param faults Flags to clear, owned by the caller. NULL: the call does nothing.
 * @see SRS-004 §25.2
 */
static inline void ct_fault_clear(ct_fault_flags_t *faults)
{
    if (faults != NULL) {
        faults->overflow = 0;
        faults->underflow = 0;
        faults->div_zero = 0;
        faults->saturation = 0;
        faults->narrowing = 0;
        faults->domain = 0;
        faults->ledger_fail = 0;
        faults->io_error = 0;
        faults->precision = 0;
        faults->encoding = 0;
        faults->schema = 0;
        faults->ordering = 0;
        faults->size = 0;
        faults->protocol = 0;
        faults->serialise = 0;
        faults->commit = 0;
    }
}

/**
 * Clears every fault flag of a struct that was never set up.
 *
 * @param faults Flags to clear, owned by the caller. NULL: the call does nothing.
 * @see SRS-004 §25.2
 */
static inline void ct_fault_init(ct_fault_flags_t *faults)
{
    ct_fault_clear(faults);
}

/**
 * Tells whether any fault flag is set.
 *
 * @param faults Flags to look at, borrowed for the call; NULL counts as a fault.
 * @return 1 where one is, else 0.
 * @see SRS-004 §25.2
 *
 * @par Example
 * @code{.c}
 * ct_fault_flags_t faults;
 *
 * ct_fault_init(&faults);
 * assert(!ct_fault_any(&faults));
 * dvm_div_q16(Q16_16_ONE, 0, &faults);
 * assert(ct_fault_any(&faults) && faults.div_zero == 1);
 * @endcode
 */
static inline int ct_fault_any(const ct_fault_flags_t *faults)
{
    int is_any_set = 0;
    if ((faults == NULL) || (faults->overflow != 0U) || (faults->underflow != 0U)
        || (faults->div_zero != 0U) || (faults->saturation != 0U) || (faults->narrowing != 0U)
        || (faults->domain != 0U) || (faults->ledger_fail != 0U) || (faults->io_error != 0U)
        || (faults->precision != 0U) || (faults->encoding != 0U) || (faults->schema != 0U)
        || (faults->ordering != 0U) || (faults->size != 0U) || (faults->protocol != 0U)
        || (faults->serialise != 0U) || (faults->commit != 0U)) {
        is_any_set = 1;
    }
    return is_any_set;
}
