import type { Day } from '@hitherto/domain/calendar';

/** A statement or a part of one. */
export interface Sql {
  readonly text: string;
}

/** An element of a statement: a part, or a value, which becomes a literal. */
type Part = Sql | string | number | bigint | readonly Part[];

/**
 * A part of a statement. Values become literals, because a filter can have more text than a URL, where the server expects
 * parameters.
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  const text = strings.map((string, place) => {
    const part = parts[place];
    return part === undefined ? string : `${string}${textOf(part)}`;
  });
  return { text: text.join('') };
}

/** Text that this program wrote: a name of a column, for example. */
export function raw(text: string): Sql {
  return { text };
}

/** The parts with a separator between them; values among them become literals. */
export function join(parts: readonly Part[], separator = ', '): Sql {
  return { text: parts.map(textOf).join(separator) };
}

/** True if all conditions hold. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : sql`(${join(conditions, ' and ')})`;
}

/** True if any of the conditions holds. */
export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : sql`(${join(conditions, ' or ')})`;
}

export function unionAll(selects: readonly Sql[]): Sql {
  return join(selects, ' union all ');
}

/** The days that the type Date can hold. */
const [FIRST_DAY, LAST_DAY] = ['1970-01-01', '2149-06-06'];

/** A day; one that cannot be stored becomes the nearest one that can. */
export function dayLiteral(day: Day): Sql {
  return sql`toDate(${day < FIRST_DAY ? FIRST_DAY : day > LAST_DAY ? LAST_DAY : day})`;
}

/** An instant, to the millisecond. */
export function timeLiteral(time: Date): Sql {
  return sql`fromUnixTimestamp64Milli(toInt64(${time.getTime()}), 'UTC')`;
}

function textOf(part: Part): string {
  if (typeof part === 'string') return `'${part.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (typeof part === 'number' || typeof part === 'bigint') return part.toString();
  return 'text' in part ? part.text : `[${part.map(textOf).join(', ')}]`;
}
