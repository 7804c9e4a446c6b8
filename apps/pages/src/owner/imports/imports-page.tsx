import { addDays, MAX_PERIOD_DAYS } from '@hitherto/domain/calendar';
import { countOf } from '@hitherto/domain/format';
import {
  type FileImportOptions,
  IMPORT_FORMAT_NAMES,
  IMPORT_FORMATS,
  type Import,
  type ImportCounts,
  type ImportFormat,
  LEFT_OUT,
  type SkippedRows,
} from '@hitherto/domain/imports';
import { ENGLISH } from '@hitherto/words';
import { importPath, startImportPath, statisticsPath, websitePath } from '../../shared/paths.ts';

/** A file that was not imported. */
export interface RejectedUpload {
  readonly fault: string;
  /** The fields of its form, without the file. */
  readonly fields: ReadonlyMap<string, string>;
}

interface UploadFormProps {
  readonly websiteId: string;
  readonly rejected: RejectedUpload | undefined;
  readonly canWrite: boolean;
}

/** Chooses a file to import. */
export function UploadForm({ websiteId, rejected, canWrite }: UploadFormProps) {
  const sent = (name: string) => rejected?.fields.get(name);
  return (
    <form class="settings" method="post" action={websitePath(websiteId, 'imports')} encType="multipart/form-data">
      <p>
        Bring the numbers of earlier years: upload a file that another product has exported, or one of{' '}
        <code>statistics export</code>. You see what it holds before anything is imported.
      </p>
      {rejected !== undefined && (
        <p class="fault" role="alert">
          Nothing was imported. {rejected.fault}
        </p>
      )}
      <fieldset class="all" disabled={!canWrite}>
        <div class="field">
          <label for="format">From</label>
          <select id="format" name="format">
            <option value="auto">Detect from the file</option>
            {IMPORT_FORMATS.map((format) => (
              <option key={format} value={format} selected={format === sent('format')}>
                {IMPORT_FORMAT_NAMES[format]}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="until">Last day to import (optional)</label>
          <input id="until" name="until" type="date" value={sent('until')} />
        </div>
        <div class="field">
          <label for="time_zone">Time zone for times without an offset</label>
          <input
            id="time_zone"
            name="time_zone"
            type="text"
            value={sent('time_zone')}
            placeholder="UTC"
            autocomplete="off"
            spellcheck={false}
          />
        </div>
        <div class="field">
          <label class="check">
            <input type="checkbox" name="keep_going" value="1" checked={sent('keep_going') === '1'} /> Import also if
            more than 1 % of the rows are faulty
          </label>
        </div>
        <div class="field">
          <label for="file">File, plain or compressed</label>
          {rejected !== undefined && (
            <p class="hint" id="file-hint">
              Choose the file again: browsers do not keep it.
            </p>
          )}
          <input
            id="file"
            name="file"
            type="file"
            required
            aria-describedby={rejected === undefined ? undefined : 'file-hint'}
          />
        </div>
        <button type="submit">Preview</button>
      </fieldset>
    </form>
  );
}

interface PreviewProps {
  readonly websiteId: string;
  readonly format: ImportFormat;
  readonly counts: ImportCounts;
  readonly options: FileImportOptions;
  /** Names the uploaded file. */
  readonly held: string;
}

/** The preview of a file, and the button that imports it. */
export function Preview({ websiteId, format, counts, options: { until, timeZone }, held }: PreviewProps) {
  const isWhole = counts.share === 1;
  return (
    <form class="settings" method="post" action={startImportPath(websiteId)}>
      <p>
        {isWhole ? 'The file' : `The first ${ENGLISH.format.count(counts.rows)} rows of the file`}, from{' '}
        {IMPORT_FORMAT_NAMES[format]}, {counts.hits === 0 ? 'would add nothing.' : 'would add'}
        {counts.hits > 0 && <Added counts={counts} />}
      </p>
      {until !== undefined && <p>The last day to import is {ENGLISH.format.period(until, until, true)}.</p>}
      {timeZone !== undefined && <p>Times without a time zone are in {timeZone}.</p>}
      <Skipped skipped={counts.skipped} />
      <Notes notes={counts.notes} />
      <input type="hidden" name="held" value={held} />
      <div class="buttons">
        <button type="submit" disabled={counts.hits === 0 && isWhole}>
          Import
        </button>
        <a href={websitePath(websiteId, 'imports')}>Choose another file</a>
      </div>
    </form>
  );
}

function Added({ counts: { hits, days, from, to, sums } }: { readonly counts: ImportCounts }) {
  if (from === null || to === null) return <> nothing</>;
  return (
    <>
      {' '}
      <strong>{sums === undefined ? countOf(hits, 'hit', 'hits') : `sums of ${countOf(hits, 'hit', 'hits')}`}</strong>{' '}
      on {ENGLISH.format.count(days)} {days === 1 ? 'day' : 'days'}, {ENGLISH.format.period(from, to, true)}.
    </>
  );
}

/** Sentences on the file as a whole. */
function Notes({ notes = [] }: { readonly notes: readonly string[] | undefined }) {
  return (
    <>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </>
  );
}

/** The rows that are left out, by reason. */
function Skipped({ skipped }: { readonly skipped: readonly SkippedRows[] }) {
  if (skipped.length === 0) return null;
  return (
    <>
      <p>Left out:</p>
      <ul>
        {skipped.map(({ reason, rows, example }) => (
          <li key={reason}>
            {ENGLISH.format.count(rows)} {rows === 1 ? 'row' : 'rows'} {LEFT_OUT[reason].short}
            <p class="hint">{example}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

interface ImportsListProps {
  readonly websiteId: string;
  readonly imports: readonly Import[];
  readonly canWrite: boolean;
}

/** All imports, the newest first. A script keeps the parts of running ones current. */
export function ImportsList({ websiteId, imports, canWrite }: ImportsListProps) {
  if (imports.length === 0) return null;
  return (
    <>
      {imports.some(({ status }) => status === 'running') && (
        <a href={websitePath(websiteId, 'imports')} data-refresh>
          Refresh
        </a>
      )}
      <ol class="changes" data-imports>
        {imports.toReversed().map((imported) => (
          <li key={imported.id} class="card" data-import={imported.id} data-status={imported.status}>
            <h2>{IMPORT_FORMAT_NAMES[imported.format]}</h2>
            <div data-part="state" aria-live={imported.status === 'running' ? 'polite' : undefined}>
              <State imported={imported} />
            </div>
            <div data-part="numbers">
              <Progress imported={imported} />
              <Skipped skipped={imported.skipped} />
              <Notes notes={imported.notes} />
            </div>
            {canWrite && (
              <div data-part="deletion">
                <Deletion imported={imported} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

interface ImportProps {
  readonly imported: Import;
}

function State({ imported }: ImportProps) {
  const { status, waits, problem } = imported;
  if (problem !== null) return <p class="fault">Nothing was imported. {problem.detail}</p>;
  if (status === 'running') return <p>{waits ? 'Waiting for other imports to end.' : 'Importing.'}</p>;
  return (
    <p>
      Added
      <Added counts={imported} /> <ShowDays imported={imported} />
    </p>
  );
}

function Progress({ imported: { status, waits, share, rows } }: ImportProps) {
  if (status !== 'running' || waits) return null;
  return (
    <p>
      <progress max={1} value={share} aria-label="Share of the file that was read" /> {ENGLISH.format.count(rows)} rows
      read
    </p>
  );
}

function Deletion({ imported: { websiteId, id, status } }: ImportProps) {
  const action = importPath(websiteId, id);
  if (status === 'done') {
    return (
      <details>
        <summary>Delete this import</summary>
        <form method="post" action={action}>
          <p>This restores all earlier numbers.</p>
          <button class="danger" type="submit">
            Delete
          </button>
        </form>
      </details>
    );
  }
  return (
    <form method="post" action={action}>
      <button class="plain" type="submit">
        {status === 'running' ? 'Stop' : 'Remove'}
      </button>
    </form>
  );
}

/** Leads to the statistics page of the imported days, the last ones of very many. */
function ShowDays({ imported: { websiteId, from, to } }: ImportProps) {
  if (from === null || to === null) return null;
  const first = addDays(to, 1 - MAX_PERIOD_DAYS);
  const days = new URLSearchParams({ from: from > first ? from : first, to });
  return <a href={`${statisticsPath(websiteId)}?${days}`}>Show these days</a>;
}
