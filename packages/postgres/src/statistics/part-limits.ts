/** How large the parts of days are, and which days have lists. */
export interface PartLimits {
  /** About how many hits a part has at most. */
  readonly hits: number;
  /** How many parts are made at once: all their hits are in memory. */
  readonly parts: number;
  /**
   * The lists of days with so many hits are stored, and those of months. Those of smaller ones are counted when they are read: they
   * would take more room than the hits.
   */
  readonly lists: number;
  readonly listsOfMonths: number;
}

export const PART_LIMITS: PartLimits = { hits: 60_000, parts: 8, lists: 2_500, listsOfMonths: 4_000 };
