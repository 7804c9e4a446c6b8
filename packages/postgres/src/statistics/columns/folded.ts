import { compareStrings } from '@hitherto/domain/base';
import { MAX_VALUES_PER_DAY, OTHER_VALUES } from '@hitherto/domain/hits';
import type { ByValue, Question } from './question.ts';

/**
 * Counts the values of a list of a day as on days that are over: the first `MAX_VALUES_PER_DAY` values, and all others as one value, so
 * that a visit with several of these counts once.
 *
 * @param questionOf the question; with `kept`, all other values are one value
 * @param count counts the day
 */
export async function countFolded<Name extends string>(
  questionOf: (kept?: ReadonlySet<string | null>) => Question<ByValue<Name | 'visitors'>>,
  count: (question: Question<ByValue<Name | 'visitors'>>) => Promise<ByValue<Name | 'visitors'>>,
): Promise<ByValue<Name | 'visitors'>> {
  const list = await count(questionOf());
  const {
    keys,
    numbers: { visitors },
  } = list;
  if (keys.length <= MAX_VALUES_PER_DAY && !keys.includes(OTHER_VALUES)) return list;
  const places = keys.map((_, place) => place);
  places.sort((a, b) => (visitors[b] ?? 0) - (visitors[a] ?? 0) || compareStrings(keys[a] ?? null, keys[b] ?? null));
  return count(questionOf(new Set(places.slice(0, MAX_VALUES_PER_DAY).map((place) => keys[place] ?? null))));
}
