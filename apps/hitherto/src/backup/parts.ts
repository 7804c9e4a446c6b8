import type { BackupPart } from '@hitherto/domain/backup';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { BackupError, type BlockContent, incomplete } from './blocks.ts';

// The content of a backup: a JSON line at its start, a JSON line and the rows of each table, and a JSON line with counts at its
// end, which proves that it is complete.

const FORMAT = 1;
const closed = { additionalProperties: false };
const Name = Type.String({ pattern: '^[a-z][a-z0-9_]{0,62}$' });
const Count = Type.Integer({ minimum: 0 });

const StartLine = Type.Object(
  {
    type: Type.Literal('hitherto_backup'),
    format: Type.Literal(FORMAT),
    made_at: Type.String(),
    version: Type.String(),
    migrations: Type.Array(Type.String({ maxLength: 255 })),
    rows: Type.Number({ minimum: 0 }),
  },
  closed,
);
const TableLine = Type.Object(
  {
    type: Type.Literal('table'),
    name: Name,
    columns: Type.Array(Name, { minItems: 1 }),
    partition: Type.Union([
      Type.Null(),
      Type.Object({ of: Name, from: Type.String({ pattern: '^\\d{4}-\\d\\d-01$' }) }, closed),
    ]),
  },
  closed,
);
const EndLine = Type.Object(
  {
    type: Type.Literal('end'),
    sequences: Type.Array(
      Type.Object({ table: Name, column: Name, last: Type.String({ pattern: '^\\d{1,19}$' }) }, closed),
    ),
    rows: Type.Record(Type.String(), Count),
  },
  closed,
);
const Line = Type.Union([StartLine, TableLine, EndLine]);

/** The number of rows of each table, and how many there are of all together, as far as they have been written or read. */
export interface BackupCounts {
  readonly tables: Map<string, number>;
  rows: number;
  /** About how many rows there will be. */
  expected: number;
}

export function noCounts(): BackupCounts {
  return { tables: new Map(), rows: 0, expected: 0 };
}

/** The content of a backup with these parts. Counts the rows. */
export async function* writeParts(
  parts: AsyncIterable<BackupPart>,
  about: { readonly version: string; readonly madeAt: Date },
  counts: BackupCounts,
): AsyncGenerator<BlockContent> {
  let table = '';
  for await (const part of parts) {
    switch (part.type) {
      case 'start':
        counts.expected = part.rows;
        yield header({
          type: 'hitherto_backup',
          format: FORMAT,
          made_at: about.madeAt.toISOString(),
          version: about.version,
          migrations: [...part.migrations],
          rows: part.rows,
        });
        break;
      case 'table':
        table = part.name;
        counts.tables.set(table, 0);
        yield header({ ...part, columns: [...part.columns] });
        break;
      case 'rows':
        countRows(counts, table, part.bytes);
        yield { kind: 'rows', bytes: part.bytes };
        break;
      default:
        yield header({ ...part, sequences: [...part.sequences], rows: Object.fromEntries(counts.tables) });
    }
  }
}

/** The parts of a backup. Throws `BackupError` if one is missing, is not expected, or has other counts. Counts the rows. */
export async function* readParts(
  contents: AsyncIterable<BlockContent>,
  counts: BackupCounts,
): AsyncGenerator<BackupPart> {
  let table: string | undefined;
  let state: 'start' | 'tables' | 'end' = 'start';
  for await (const { kind, bytes } of contents) {
    if (state === 'end') throw new BackupError('The backup is damaged: there is data after its end.');
    if (kind === 'rows') {
      if (table === undefined) throw new BackupError('The backup is damaged: it has rows of no table.');
      countRows(counts, table, bytes);
      yield { type: 'rows', bytes };
      continue;
    }
    const line = readLine(bytes);
    if ((line.type === 'hitherto_backup') !== (state === 'start')) {
      throw new BackupError('The backup is damaged: its parts are in another order.');
    }
    switch (line.type) {
      case 'hitherto_backup':
        state = 'tables';
        counts.expected = line.rows;
        yield { type: 'start', migrations: line.migrations, rows: line.rows };
        break;
      case 'table':
        table = line.name;
        if (counts.tables.has(table)) throw new BackupError(`The backup is damaged: it has the table ${table} twice.`);
        counts.tables.set(table, 0);
        yield line;
        break;
      default:
        state = 'end';
        requireCounts(counts, line.rows);
        yield { type: 'end', sequences: line.sequences };
    }
  }
  if (state !== 'end') throw incomplete();
}

function header(line: Static<typeof Line>): BlockContent {
  return { kind: 'header', bytes: Buffer.from(`${JSON.stringify(line)}\n`) };
}

function readLine(bytes: Uint8Array): Static<typeof Line> {
  const line = parseJson(Buffer.from(bytes).toString());
  if (Value.Check(Line, line)) return line;
  if (Value.Check(Type.Object({ type: Type.Literal('hitherto_backup'), format: Type.Number() }), line)) {
    throw new BackupError('The backup is of a later version of Hitherto. Restore it with that version.');
  }
  throw new BackupError('The backup is damaged: it has an unknown line.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const LINE_FEED = 0x0a;

/** Each row ends with a line feed, and has no other. */
function countRows(counts: BackupCounts, table: string, bytes: Uint8Array): void {
  let rows = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) rows += 1;
  counts.tables.set(table, (counts.tables.get(table) ?? 0) + rows);
  counts.rows += rows;
}

function requireCounts({ tables }: BackupCounts, expected: Readonly<Record<string, number>>): void {
  const names = new Set([...tables.keys(), ...Object.keys(expected)]);
  for (const name of names) {
    if (tables.get(name) === expected[name]) continue;
    throw new BackupError(
      `The backup is incomplete: it has ${tables.get(name) ?? 0} of ${expected[name] ?? 0} rows of ${name}.`,
    );
  }
}
