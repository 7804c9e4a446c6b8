import { compareStrings } from '@hitherto/domain/base';
import { MAX_VALUES_PER_DAY, OTHER_VALUES } from '@hitherto/domain/hits';
import type { ByValue, Question } from './question.ts';

/**
 * Counts the values of a list of a day. As days that are over do, it has the first `MAX_VALUES_PER_DAY` values, and all others as
 * one, as which they count: a visit with several of them counts once.
 *
 * @param questionOf the question, or the one in which others than the kept values are one
 * @param count counts the day
 */
export async function countFolded<Numbers extends { readonly visitors: number }>(
  questionOf: (kept?: ReadonlySet<string | null>) => Question<ByValue<Numbers>>,
  count: (question: Question<ByValue<Numbers>>) => Promise<ByValue<Numbers>>,
): Promise<ByValue<Numbers>> {
  const values = await count(questionOf());
  if (values.size <= MAX_VALUES_PER_DAY && !values.has(OTHER_VALUES)) return values;
  const sorted = [...values].sort(([a, ofA], [b, ofB]) => ofB.visitors - ofA.visitors || compareStrings(a, b));
  return count(questionOf(new Set(sorted.slice(0, MAX_VALUES_PER_DAY).map(([value]) => value))));
}
