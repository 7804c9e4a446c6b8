import { FIRST_HIT_DIMENSIONS, type FirstHitDimension } from '@hitherto/domain/hits';

/** Dimensions that go together: hits have few combinations of their values. */
const GROUP_OF: Readonly<Record<FirstHitDimension, number>> = {
  channel: 0,
  source: 0,
  referrer: 0,
  utm_source: 0,
  utm_medium: 0,
  utm_campaign: 0,
  utm_content: 0,
  utm_term: 0,
  country: 1,
  language: 1,
  network: 1,
  browser: 2,
  os: 2,
  device: 2,
  host: 3,
};

/** The dimensions of each group. */
export const GROUPS: readonly (readonly FirstHitDimension[])[] = [0, 1, 2, 3].map((group) =>
  FIRST_HIT_DIMENSIONS.filter((dimension) => GROUP_OF[dimension] === group),
);
