import type { DropReason } from '@hitherto/domain/hits';
import { useLocale } from '../shared/locale.tsx';

interface DroppedTableProps {
  readonly rows: readonly { readonly reason: DropReason; readonly hits: number }[];
  readonly period: string;
}

/** Why hits were not counted. */
export function DroppedTable({ rows, period }: DroppedTableProps) {
  const { words, format } = useLocale();
  const { dropped, reasons } = words;
  if (rows.length === 0) return <p>{dropped.none(period)}</p>;
  return (
    <>
      <p>{dropped.some(period)}</p>
      <table class="facts">
        <caption>{dropped.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{dropped.reason}</th>
            <th scope="col">{dropped.meaning}</th>
            <th scope="col">{dropped.hits}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ reason, hits }) => (
            <tr key={reason} data-value={reason}>
              <th scope="row">
                <code>{reason}</code>
              </th>
              <td>{reasons[reason].meaning}</td>
              <td data-metric="hits">{format.count(hits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
