import { cutValue } from '../lines.ts';

/**
 * Items as the values of each field, which are `undefined` where an item lacks it. To send and receive an object for each item
 * takes twice as long.
 */
export type Table<Item> = readonly (readonly [field: keyof Item, values: readonly unknown[]])[];

/** The table of items. Long strings are cut. */
export function tableOf<Item extends object>(items: readonly (Item | undefined)[]): Table<Item> {
  const fields = new Set<keyof Item>();
  for (const item of items) for (const field in item) fields.add(field);
  return [...fields].map((field) => [field, items.map((item) => cut(item?.[field]))]);
}

function cut(value: unknown): unknown {
  return typeof value === 'string' ? cutValue(value) : value;
}

/** The items of a table, with a hole in place of one that has no fields. */
export function itemsOf<Item extends object>(table: Table<Item>): readonly Item[] {
  const items: Partial<Record<keyof Item, unknown>>[] = [];
  for (const [field, values] of table) {
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at];
      if (value === undefined) continue;
      const item: Partial<Record<keyof Item, unknown>> = items[at] ?? {};
      item[field] = value;
      items[at] = item;
    }
  }
  return items as Item[];
}
