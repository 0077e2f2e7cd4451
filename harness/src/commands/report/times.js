"use strict";

// Times of a ledger as dates. A ledger does not say the unit of its times: they are seconds since 1970 by default, and
// whoever keeps it may count anything else. So only numbers that would be dates of this century pass for seconds.

/** 2001-09-09 and 2106-02-07, in seconds since 1970. */
const FIRST_DATE = 1_000_000_000n;
const LAST_DATE = 4_294_967_295n;

/** The times of a ledger, in its unit. */
class Calendar {
  /** @param {{time: bigint}[]} times the accepted ones, which ascend */
  constructor(times) {
    const [first, last] = [times.at(0), times.at(-1)];
    this.isInSeconds =
      first !== undefined &&
      last !== undefined &&
      first.time >= FIRST_DATE &&
      last.time <= LAST_DATE;
  }

  /**
   * The date and the time of day, each as text; null where the unit is not seconds.
   * @param {bigint} time
   */
  split(time) {
    if (!this.isInSeconds || time > LAST_DATE) return null;
    const text = new Date(Number(time) * 1000).toISOString();
    return { date: text.slice(0, 10), clock: text.slice(11, 19) };
  }

  /**
   * A time as people read it.
   * @param {bigint} time
   */
  tell(time) {
    const parts = this.split(time);
    return parts ? `${parts.date} ${parts.clock} UTC` : String(time);
  }
}
