import type { DropReason } from '@hitherto/domain';
import { formatCount } from '@hitherto/domain/format';

const MEANINGS: Readonly<Record<DropReason, string>> = {
  prefetch: 'The browser fetched the page ahead, without showing it.',
  foreign_host: 'The page belongs to another website.',
  excluded_ip: 'The IP address of the visitor is excluded.',
  bot: 'A bot, or a browser that a program drives.',
  spam_referrer: 'The referrer is known spam.',
};

interface DroppedTableProps {
  readonly rows: readonly { readonly reason: DropReason; readonly hits: number }[];
  readonly period: string;
}

/** Why hits were not counted. */
export function DroppedTable({ rows, period }: DroppedTableProps) {
  if (rows.length === 0) return <p>No hit was dropped in {period}.</p>;
  return (
    <>
      <p>Hits that were not counted in {period}:</p>
      <table class="facts">
        <caption>Dropped hits</caption>
        <thead>
          <tr>
            <th scope="col">Reason</th>
            <th scope="col">What it means</th>
            <th scope="col">Hits</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ reason, hits }) => (
            <tr key={reason} data-value={reason}>
              <th scope="row">
                <code>{reason}</code>
              </th>
              <td>{MEANINGS[reason]}</td>
              <td data-metric="hits">{formatCount(hits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
