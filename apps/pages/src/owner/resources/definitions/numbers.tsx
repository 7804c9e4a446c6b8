import type { ComponentChildren } from 'preact';

interface NumbersProps {
  /** By name; `metric` is the name of the API. */
  readonly rows: readonly { readonly name: ComponentChildren; readonly metric: string; readonly value: string }[];
}

/** The numbers of a preview. */
export function Numbers({ rows }: NumbersProps) {
  return (
    <dl>
      {rows.map(({ name, metric, value }) => (
        <div key={metric}>
          <dt>{name}</dt>
          <dd data-metric={metric}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
