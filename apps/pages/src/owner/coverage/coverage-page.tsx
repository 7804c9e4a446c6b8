import { tellStored } from '@hitherto/domain/base';
import { printable } from '@hitherto/domain/format';
import type { Coverage, CoverageProblem, CoverageReport } from '@hitherto/domain/insight';
import type { Locale } from '@hitherto/words';
import type { ComponentChildren } from 'preact';
import { useLocale } from '../../shared/locale.tsx';
import { coveragePath, websitePath } from '../../shared/paths.ts';
import { FileField } from '../imports/file-field.tsx';

/** A log that was not compared. */
export interface RejectedLog {
  readonly fault: string;
  /** The field of the form. */
  readonly days: string;
}

interface CoverageFormProps {
  readonly websiteId: string;
  readonly rejected: RejectedLog | undefined;
  readonly canWrite: boolean;
}

/** Chooses a log to compare. */
export function CoverageForm({ websiteId, rejected, canWrite }: CoverageFormProps) {
  const { coverage } = useLocale().words;
  return (
    <form class="settings" method="post" action={websitePath(websiteId, 'coverage')} encType="multipart/form-data">
      <p>{coverage.purpose}</p>
      {rejected !== undefined && (
        <p class="fault" role="alert">
          {coverage.rejected} {rejected.fault}
        </p>
      )}
      <fieldset class="all" disabled={!canWrite}>
        <div class="field">
          <label for="days">{coverage.days}</label>
          <input id="days" name="days" type="number" min="1" max="400" value={rejected?.days} />
        </div>
        <FileField label={coverage.file} isAgain={rejected !== undefined} />
        <button type="submit">{coverage.compare}</button>
      </fieldset>
      <p class="hint">{coverage.cannotKnow}</p>
    </form>
  );
}

interface CoverageListProps {
  readonly websiteId: string;
  readonly reports: readonly CoverageReport[];
}

/** The logs that were compared, the last one first. */
export function CoverageList({ websiteId, reports }: CoverageListProps) {
  const locale = useLocale();
  const { coverage } = locale.words;
  if (reports.length === 0) return null;
  return (
    <section>
      <h2>{coverage.earlier}</h2>
      <ul class="card definitions">
        {reports.map((report) => (
          <li key={report.id} class="opens">
            <div>
              <a href={coveragePath(websiteId, report.id)}>{uploadedAt(report, locale)}</a>
              <p class="hint">{outcomeOf(report, locale)}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function uploadedAt({ createdAt }: CoverageReport, { words, format }: Locale): string {
  const [day = '', time = ''] = createdAt.toISOString().split('T');
  return words.coverage.at(format.dayOfYear(day), time.slice(0, 5));
}

function outcomeOf({ coverage: result, problem }: CoverageReport, { words, format }: Locale): string {
  const { coverage } = words;
  if (problem !== null) return coverage.failed;
  if (result === null) return coverage.reading;
  return `${format.period(result.from, result.to, true)}: ${shareOf(result, { words, format })}`;
}

function shareOf({ share }: Coverage, { words, format }: Pick<Locale, 'words' | 'format'>): string {
  return share === null || share === 0 ? words.coverage.noShare : words.coverage.share(format.share(share));
}

interface CoverageResultProps {
  readonly websiteId: string;
  readonly report: CoverageReport;
}

/** The coverage that a log has shown. */
export function CoverageResult({ websiteId, report }: CoverageResultProps) {
  const locale = useLocale();
  const { coverage } = locale.words;
  return (
    <>
      <p>{uploadedAt(report, locale)}</p>
      {report.problem !== null && (
        <p class="fault">
          {coverage.failed} <Problem problem={report.problem} />
        </p>
      )}
      {report.problem === null && report.coverage === null && (
        <p>
          {coverage.reading} <a href={coveragePath(websiteId, report.id)}>{coverage.refresh}</a>
        </p>
      )}
      {report.coverage !== null && <Result result={report.coverage} />}
      <p>
        <a href={websitePath(websiteId, 'coverage')}>{coverage.another}</a>
      </p>
    </>
  );
}

function Problem({ problem: { code, detail, text } }: { readonly problem: CoverageProblem }) {
  const { words } = useLocale();
  const { problems } = words.coverage;
  const known: Partial<Record<CoverageProblem['code'], string>> = problems;
  return <>{known[code] ?? tellStored(text, words, detail)}</>;
}

function Result({ result }: { readonly result: Coverage }) {
  const locale = useLocale();
  const { words, format } = locale;
  const { coverage } = words;
  const { count } = format;
  const sumOf = (name: 'log' | 'tracked') => count(result.days.reduce((sum, day) => sum + day[name], 0));
  const shareIn = (part: number, whole: number) => (whole === 0 ? '–' : format.share(part / whole));
  const counts = coverage.counts(count(result.lines), count(result.judged), count(result.bots));
  return (
    <>
      <h2>{coverage.heading(format.period(result.from, result.to, true))}</h2>
      <p>
        <strong>{shareOf(result, locale)}</strong>
      </p>
      <p>
        {coverage.sums(sumOf('log'), sumOf('tracked'))} {counts}
      </p>
      <p class="hint">{coverage.cannotKnow}</p>
      {result.missing.length === 0 && <p>{coverage.noMissing}</p>}
      <Numbers
        title={coverage.missing}
        hint={coverage.missingHint}
        head={[coverage.page, coverage.lastTracked, coverage.log]}
        rows={result.missing.map(({ page, lastTracked, log }) => [
          <Shown value={page} />,
          lastTracked === null ? coverage.never : format.dayOfYear(lastTracked),
          count(log),
        ])}
      />
      <Numbers
        title={coverage.partly}
        hint={coverage.partlyHint}
        head={[coverage.page, coverage.log, coverage.tracked]}
        rows={result.partly.map(({ page, log, tracked }) => [<Shown value={page} />, count(log), count(tracked)])}
      />
      <Numbers
        title={coverage.browsers}
        hint={coverage.browsersHint}
        head={[coverage.browser, coverage.log, coverage.tracked, coverage.shareColumn]}
        rows={result.byBrowser.map(({ browser, log, tracked, share }) => [
          <Shown value={browser ?? coverage.unknownBrowser} />,
          count(log),
          count(tracked),
          format.share(share),
        ])}
      />
      <Numbers
        title={coverage.onlyTracked}
        hint={coverage.onlyTrackedHint}
        head={[coverage.page, coverage.tracked]}
        rows={result.onlyTracked.map(({ page, tracked }) => [<Shown value={page} />, count(tracked)])}
      />
      <details>
        <summary>{coverage.byDay}</summary>
        <Table
          caption={coverage.byDay}
          head={[coverage.day, coverage.log, coverage.tracked, coverage.shareColumn]}
          rows={result.days.map(({ day, log, tracked }) => [
            format.dayOfYear(day),
            count(log),
            count(tracked),
            shareIn(tracked, log),
          ])}
        />
      </details>
    </>
  );
}

/** Text that a visitor or a sender has written. */
function Shown({ value }: { readonly value: string }) {
  return <bdi class="secret">{printable(value)}</bdi>;
}

interface TableProps {
  readonly head: readonly string[];
  /** The first cell of each is its name. */
  readonly rows: readonly (readonly ComponentChildren[])[];
}

function Numbers({ title, hint, ...table }: TableProps & { readonly title: string; readonly hint: string }) {
  if (table.rows.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <p class="hint">{hint}</p>
      <Table caption={title} {...table} />
    </section>
  );
}

function Table({ caption, head, rows }: TableProps & { readonly caption: string }) {
  return (
    <table class="facts">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...cells], index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            {cells.map((cell, column) => (
              <td key={head[column]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
