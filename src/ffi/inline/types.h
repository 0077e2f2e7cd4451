/** Clears every flag: the only thing that ever does. NULL is left alone. */
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

/** The same as ct_fault_clear, for flags that were never set up. */
static inline void ct_fault_init(ct_fault_flags_t *faults)
{
    ct_fault_clear(faults);
}

/** 1 where any flag is set, else 0; 1 for NULL. */
static inline int ct_fault_any(const ct_fault_flags_t *faults)
{
    if (faults == NULL) {
        return 1;
    }
    return (faults->overflow || faults->underflow || faults->div_zero || faults->saturation
            || faults->narrowing || faults->domain || faults->ledger_fail || faults->io_error
            || faults->precision || faults->encoding || faults->schema || faults->ordering
            || faults->size || faults->protocol || faults->serialise || faults->commit)
        ? 1
        : 0;
}
