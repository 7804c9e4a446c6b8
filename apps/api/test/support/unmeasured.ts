/** The engagement of rows of a website that measures nothing, and of its totals. */
export const UNMEASURED = { engaged_seconds: null, scroll_depth: null } as const;
export const UNMEASURED_TOTALS = { ...UNMEASURED, measured: 0, engagement_rate: null } as const;
