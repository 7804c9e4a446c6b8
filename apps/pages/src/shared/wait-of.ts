/** How long to wait, for people: `1 second`, `90 seconds`, `2 minutes`. */
export function waitOf(seconds: number): string {
  if (seconds === 1) return '1 second';
  return seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
