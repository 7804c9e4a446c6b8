const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `41,950`. */
export function formatCount(count: number): string {
  return WHOLE.format(count);
}

/** `950`, `1.5K`, `12M`: for axes, where space is short. */
export function formatShortCount(count: number): string {
  return SHORT.format(count);
}

/** A share of 0 to 1 in percent, without the sign; one that is not nothing is not shown as 0. */
export function formatPercent(share: number): string {
  const percent = Math.round(share * 100);
  return share > 0 && percent === 0 ? '<1' : String(percent);
}

/** A share of 0 to 1 as `38 %`. */
export function formatShare(share: number): string {
  return `${formatPercent(share)}\u00a0%`;
}

/** Seconds as `52 s`, `1 m 52 s`, `1 h 5 m`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}\u00a0s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}\u00a0m ${whole % 60}\u00a0s`;
  return `${WHOLE.format(Math.floor(minutes / 60))}\u00a0h ${minutes % 60}\u00a0m`;
}

/** `1 visitor`, `7 visitors`. */
export function countOf(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
