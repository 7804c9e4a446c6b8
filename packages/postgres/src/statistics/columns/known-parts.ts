import { type Part, type PartVisits, visitsOfPart } from './part.ts';
import { CODES } from './stored-columns.ts';

/** A part, and its number among those of its day. */
type NumberedPart = Part & { readonly part: number };

/** The parts of a day in the book, as far as they were read. */
export interface DayParts {
  /** Whether a column was read of every part. */
  has(code: number): boolean;
  /** Adds columns of all parts. */
  add(parts: readonly NumberedPart[], codes: readonly number[]): void;
  visits(): readonly PartVisits[];
  /** About how much memory they take. */
  bytes(): number;
}

/** The parts of days, some of which are cached. */
export interface KnownParts {
  /** The parts of a day; nothing was read of one that is not cached. */
  of(key: string): DayParts;
  cache(key: string, parts: DayParts): void;
}

export const NO_CACHE: KnownParts = { of: createDayParts, cache: () => {} };

interface KnownPart {
  readonly part: number;
  readonly columns: Map<number, Buffer>;
  readonly visits: PartVisits;
}

export function createDayParts(): DayParts {
  let known: readonly KnownPart[] = [];
  const codes = new Set<number>();
  return {
    has: (code) => codes.has(code) || codes.has(CODES.all),

    add(parts, added) {
      if (codes.size === 0) known = parts.map(toKnown);
      else if (parts.length !== known.length || parts.some(({ part }, place) => part !== known[place]?.part)) {
        codes.clear();
        throw new Error('The parts of a day are others than before, without another version.');
      }
      parts.forEach(({ columns }, place) => {
        // A copy: the bytes are a small piece of all that was read.
        for (const [code, bytes] of columns) known[place]?.columns.set(code, Buffer.from(bytes));
      });
      for (const code of added) codes.add(code);
      if (known.length > 0 && known.every(({ columns }) => columns.has(CODES.all))) codes.add(CODES.all);
    },

    visits: () => known.map(({ visits }) => visits),

    bytes() {
      const ofColumns = known.flatMap(({ columns }) => Array.from(columns.values(), ({ length }) => length));
      return (
        known.reduce((sum, { visits }) => sum + visits.bytes(), 0) + ofColumns.reduce((sum, size) => sum + size, 0)
      );
    },
  };
}

function toKnown(part: NumberedPart): KnownPart {
  // Later columns are added to these.
  const columns = new Map<number, Buffer>();
  return { part: part.part, columns, visits: visitsOfPart({ ...part, columns }) };
}
