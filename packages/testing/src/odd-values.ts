const DEPTH = 3_500;

/** JSON of values that programs fail to convert, compare or walk: one name, one text. */
export const ODD_JSON: Readonly<Record<string, string>> = {
  'an object with its own toString': '{"toString":1}',
  'an object with its own valueOf and toString': '{"valueOf":1,"toString":null}',
  'an object with its own prototype': '{"__proto__":{"toString":1},"a":1}',
  'an object with no prototype': '{"__proto__":null}',
  'an object with its own constructor': '{"constructor":{"prototype":{"a":1}},"hasOwnProperty":1,"length":1e9}',
  'an infinite number': '1e400',
  'a huge integer': '123456789012345678901234567890',
  'a list of deep lists': `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`,
  'deep objects': `${'{"a":'.repeat(1_200)}1${'}'.repeat(1_200)}`,
  'half a character': '"\\ud800"',
  'a list of an object with its own toString': '[{"toString":1},[[{"toString":1}]]]',
};

const TEXTS = Object.values(ODD_JSON);
const MARK = /"@odd:(\d+)@"/g;

/** Stands for an odd value until {@link oddJsonOf} writes it, because most of them are no values of a program. */
export function oddValue(index: number): string {
  return `@odd:${index % TEXTS.length}@`;
}

/** JSON in which the odd values stand. */
export function oddJsonOf(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(MARK, (_, index: string) => TEXTS[Number(index)] ?? '');
}
