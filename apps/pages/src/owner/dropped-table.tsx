import { DROP_RULES, type DropReason } from '@hitherto/domain/hits';
import { ENGLISH } from '@hitherto/words';

interface DroppedTableProps {
  readonly rows: readonly { readonly reason: DropReason; readonly hits: number }[];
  readonly period: string;
}

/** Why hits were not counted. */
export function DroppedTable({ rows, period }: DroppedTableProps) {
  if (rows.length === 0) return <p>Every hit was counted in {period}.</p>;
  return (
    <>
      <p>Hits that were not counted in {period}:</p>
      <table class="facts">
        <caption>Hits that were not counted</caption>
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
              <td>{DROP_RULES[reason].meaning}</td>
              <td data-metric="hits">{ENGLISH.format.count(hits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
