import { withoutText } from '@hitherto/domain/base';
import { IMPORT_FORMATS, type Import, type ImportCounts, SKIP_REASONS } from '@hitherto/domain/imports';
import { Type } from '@sinclair/typebox';
import { WebsiteParams } from '../websites/schemas.ts';

/** The most bytes of an uploaded file. */
export const MAX_FILE_BYTES = 2 * 2 ** 30;

const oneOf = <const V extends string>(values: readonly V[], description: string) =>
  Type.Unsafe<V>({ type: 'string', enum: [...values], description });
const yesOrNo = (description: string) =>
  Type.Optional(Type.Unsafe<0 | 1>({ type: 'integer', enum: [0, 1], description }));

export const ImportQuery = Type.Object(
  {
    format: Type.Optional(oneOf(['auto', ...IMPORT_FORMATS], `auto (the default), ${IMPORT_FORMATS.join(', ')}.`)),
    time_zone: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'The IANA name of the zone of times without an offset; UTC by default.',
        examples: ['Europe/Berlin'],
      }),
    ),
    until: Type.Optional(
      Type.String({ maxLength: 10, description: 'The last day to import, YYYY-MM-DD.', examples: ['2026-11-01'] }),
    ),
    dry_run: yesOrNo('1 only reads the file, and previews the import.'),
    keep_going: yesOrNo('1 imports also if more than 1 % of the rows are faulty.'),
  },
  { additionalProperties: false },
);

export const ImportParams = Type.Object({
  ...WebsiteParams.properties,
  import_id: Type.String({ description: 'The id of the import; letter case does not matter.' }),
});

const nullable = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

const EXAMPLE = {
  id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f14',
  format: 'hitherto',
  status: 'done',
  waits: false,
  from: '2023-01-02',
  to: '2025-12-31',
  hits: 1_204_000,
  days: 1_095,
  rows: 1_204_012,
  share: 1,
  skipped: [{ reason: 'bot', rows: 12, example: 'line 4711: The user agent belongs to a bot.' }],
  notes: [],
  problem: null,
  created_at: '2026-11-20T12:00:00.000Z',
};

// Responses are open: fields and reasons may be added within v1.
const ImportSchema = Type.Object(
  {
    id: nullable('UUIDv7; null of a dry run.'),
    format: Type.String({ description: 'The format of the file.' }),
    status: Type.String({ description: 'running, done or failed. Its rows count only once it is done.' }),
    waits: Type.Boolean({ description: 'Whether it is running, but waits for other imports to end.' }),
    from: nullable('The first day with a hit.'),
    to: nullable('The last day with a hit.'),
    hits: Type.Integer({ minimum: 0, description: 'Hits that count; of sums of days, pageviews and events.' }),
    days: Type.Integer({ minimum: 0, description: 'Days with a hit.' }),
    rows: Type.Integer({ minimum: 0, description: 'Rows that were read.' }),
    share: Type.Number({ minimum: 0, maximum: 1, description: 'The share of the file that was read.' }),
    skipped: Type.Array(
      Type.Object({
        reason: Type.String({ description: `Such as ${SKIP_REASONS.join(', ')}.` }),
        rows: Type.Integer({ minimum: 1 }),
        example: Type.String({ description: 'The first such row.' }),
      }),
      { description: 'Rows that were left out, by reason.' },
    ),
    notes: Type.Array(Type.String(), { description: 'Sentences on the file as a whole.' }),
    problem: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description: 'Why it failed.',
      properties: {
        code: { type: 'string' },
        detail: { type: 'string', description: 'A sentence.' },
        existing_id: { type: 'string', description: 'The other import that covers the same days.' },
      },
    }),
    created_at: nullable('null of a dry run.'),
  },
  { $id: 'Import', examples: [EXAMPLE] },
);

const reference = Type.Unsafe<ImportResource>({ $ref: 'Import#' });
export const ImportResponse = Type.Object(
  { data: reference },
  { $id: 'ImportResponse', examples: [{ data: EXAMPLE }] },
);
export const ImportList = Type.Object(
  { data: Type.Array(reference) },
  { $id: 'ImportList', examples: [{ data: [EXAMPLE] }] },
);

/** The schemas that others refer to by name. */
export const IMPORT_SCHEMAS = [ImportSchema, ImportResponse, ImportList];

type ImportResource = ReturnType<typeof toImportResource>;

/** An import as responses show it. */
export function toImportResource({ id, format, status, waits, problem, createdAt, ...counts }: Import) {
  return {
    id,
    format,
    status,
    waits: waits === true,
    ...countsOf(counts),
    problem: problem && {
      code: problem.code,
      detail: problem.detail,
      ...(problem.existingId === undefined ? {} : { existing_id: problem.existingId }),
    },
    created_at: createdAt.toISOString(),
  };
}

/** A preview of an import. */
export function toPreviewResource(format: string, counts: ImportCounts) {
  return { id: null, format, status: 'done', waits: false, ...countsOf(counts), problem: null, created_at: null };
}

function countsOf({ from, to, hits, days, rows, share, skipped, notes = [] }: ImportCounts) {
  return {
    from,
    to,
    hits,
    days,
    rows,
    share: Math.round(share * 1_000) / 1_000,
    skipped: skipped.map(withoutText),
    notes,
  };
}
