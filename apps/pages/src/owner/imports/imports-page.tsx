import { tellStored } from '@hitherto/domain/base';
import { addDays, MAX_PERIOD_DAYS } from '@hitherto/domain/calendar';
import {
  type FileImportOptions,
  IMPORT_FORMAT_NAMES,
  IMPORT_FORMATS,
  type Import,
  type ImportCounts,
  type ImportFormat,
  type SkippedRows,
} from '@hitherto/domain/imports';
import { useLocale } from '../../shared/locale.tsx';
import { importPath, startImportPath, statisticsPath, websitePath } from '../../shared/paths.ts';
import { FileField } from './file-field.tsx';

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
  const { imports } = useLocale().words;
  const sent = (name: string) => rejected?.fields.get(name);
  return (
    <form class="settings" method="post" action={websitePath(websiteId, 'imports')} encType="multipart/form-data">
      <p>{imports.purpose(<code>statistics export</code>)}</p>
      {rejected !== undefined && (
        <p class="fault" role="alert">
          {imports.nothingImported} {rejected.fault}
        </p>
      )}
      <fieldset class="all" disabled={!canWrite}>
        <div class="field">
          <label for="format">{imports.from}</label>
          <select id="format" name="format">
            <option value="auto">{imports.detect}</option>
            {IMPORT_FORMATS.map((format) => (
              <option key={format} value={format} selected={format === sent('format')}>
                {IMPORT_FORMAT_NAMES[format]}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="until">{imports.until}</label>
          <input id="until" name="until" type="date" value={sent('until')} />
        </div>
        <div class="field">
          <label for="time_zone">{imports.zone}</label>
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
            <input type="checkbox" name="keep_going" value="1" checked={sent('keep_going') === '1'} />{' '}
            {imports.keepGoing}
          </label>
        </div>
        <FileField label={imports.file} isAgain={rejected !== undefined} />
        <button type="submit">{imports.preview}</button>
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
  const { words, format: formats } = useLocale();
  const { imports } = words;
  const isWhole = counts.share === 1;
  return (
    <form class="settings" method="post" action={startImportPath(websiteId)}>
      <p>
        {imports.wouldAdd(isWhole ? undefined : counts.rows, IMPORT_FORMAT_NAMES[format], <Added counts={counts} />)}
      </p>
      {until !== undefined && <p>{imports.lastDay(formats.period(until, until, true))}</p>}
      {timeZone !== undefined && <p>{imports.timesIn(timeZone)}</p>}
      <Skipped skipped={counts.skipped} />
      <Notes counts={counts} />
      <input type="hidden" name="held" value={held} />
      <div class="buttons">
        <button type="submit" disabled={counts.hits === 0 && isWhole}>
          {imports.import}
        </button>
        <a href={websitePath(websiteId, 'imports')}>{imports.chooseAnother}</a>
      </div>
    </form>
  );
}

function Added({ counts: { hits, days, from, to, sums } }: { readonly counts: ImportCounts }) {
  const { words, format } = useLocale();
  const { imports } = words;
  if (from === null || to === null) return <>{imports.nothing}</>;
  const amount = <strong>{sums === undefined ? imports.hits(hits) : imports.sums(hits)}</strong>;
  return <>{imports.onDays(amount, days, format.period(from, to, true))}</>;
}

/** Sentences on the file as a whole. */
function Notes({ counts: { notes = [], noteTexts = [] } }: { readonly counts: ImportCounts }) {
  const { words } = useLocale();
  return (
    <>
      {notes.map((note, index) => (
        <p key={note}>{tellStored(noteTexts[index], words, note)}</p>
      ))}
    </>
  );
}

/** The rows that are left out, by reason. */
function Skipped({ skipped }: { readonly skipped: readonly SkippedRows[] }) {
  const { words } = useLocale();
  const { imports, reasons } = words;
  if (skipped.length === 0) return null;
  return (
    <>
      <p>{imports.leftOut}</p>
      <ul>
        {skipped.map(({ reason, rows, example, text }) => (
          <li key={reason}>
            {imports.rows(rows, reasons[reason].rows)}
            <p class="hint">{tellStored(text, words, example)}</p>
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
  const { words } = useLocale();
  if (imports.length === 0) return null;
  return (
    <>
      {imports.some(({ status }) => status === 'running') && (
        <a href={websitePath(websiteId, 'imports')} data-refresh>
          {words.imports.refresh}
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
              <Notes counts={imported} />
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
  const { words } = useLocale();
  const { imports } = words;
  const { status, waits, problem } = imported;
  if (problem !== null) {
    return (
      <p class="fault">
        {imports.nothingImported} {tellStored(problem.text, words, problem.detail)}
      </p>
    );
  }
  if (status === 'running') return <p>{waits ? imports.waiting : imports.importing}</p>;
  return (
    <p>
      {imports.added(<Added counts={imported} />)} <ShowDays imported={imported} />
    </p>
  );
}

function Progress({ imported: { status, waits, share, rows } }: ImportProps) {
  const { imports } = useLocale().words;
  if (status !== 'running' || waits) return null;
  return (
    <p>
      <progress max={1} value={share} aria-label={imports.shareRead} /> {imports.rowsRead(rows)}
    </p>
  );
}

function Deletion({ imported: { websiteId, id, status } }: ImportProps) {
  const { imports } = useLocale().words;
  const action = importPath(websiteId, id);
  if (status === 'done') {
    return (
      <details>
        <summary>{imports.deleteThis}</summary>
        <form method="post" action={action}>
          <p>{imports.restores}</p>
          <button class="danger" type="submit">
            {imports.delete}
          </button>
        </form>
      </details>
    );
  }
  return (
    <form method="post" action={action}>
      <button class="plain" type="submit">
        {status === 'running' ? imports.stop : imports.remove}
      </button>
    </form>
  );
}

/** Leads to the statistics page of the imported days, the last ones of very many. */
function ShowDays({ imported: { websiteId, from, to } }: ImportProps) {
  const { imports } = useLocale().words;
  if (from === null || to === null) return null;
  const first = addDays(to, 1 - MAX_PERIOD_DAYS);
  const days = new URLSearchParams({ from: from > first ? from : first, to });
  return <a href={`${statisticsPath(websiteId)}?${days}`}>{imports.showDays}</a>;
}
