/** Why a figure misses its target, by the name of the figure. The report uses a reason only if the target is missed. */
const REASONS: Readonly<Record<string, string>> = {};

export function statisticsReason(figure: string): string {
  return REASONS[figure] ?? 'unknown.';
}
