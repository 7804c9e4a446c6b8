/** How much a run measures. */
export interface StatisticsPlan {
  readonly rounds: number;
  /** How long each is loaded in a round. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** How long hits are sent at half of the highest rate. */
  readonly steadySeconds: number;
  /** Hits of closed days of the website whose page is read, and the number of these days. */
  readonly closedHits: number;
  readonly closedDays: number;
  /** Its hits of today. */
  readonly openHits: number;
  /** Hits of the day that is summarised while hits are collected. */
  readonly summarisedHits: number;
  /** How often each page is read. */
  readonly reads: number;
  readonly progress: (text: string) => void;
}

/** Enough for figures to record. */
export const FULL_PLAN = {
  rounds: 5,
  seconds: 4,
  warmUpSeconds: 8,
  steadySeconds: 30,
  closedHits: 10_000_000,
  closedDays: 56,
  openHits: 300_000,
  summarisedHits: 1_000_000,
  reads: 100,
} as const;

/** Tries everything, in less than three minutes. */
export const SHORT_PLAN = {
  rounds: 2,
  seconds: 2,
  warmUpSeconds: 2,
  steadySeconds: 3,
  closedHits: 112_000,
  closedDays: 56,
  openHits: 20_000,
  summarisedHits: 20_000,
  reads: 10,
} as const;
