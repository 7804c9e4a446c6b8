import type { Locale } from '@hitherto/words';
import { useLocale } from '../shared/locale.tsx';
import { changePath } from '../shared/paths.ts';
import type { ChangeView, PartView } from './change-view.ts';
import { type BelowProps, PageBelow } from './page-below.tsx';

interface ChangePageProps extends BelowProps {
  readonly view: ChangeView;
}

/** Why a number changed (pages.md). */
export function ChangePage({ view, ...below }: ChangePageProps) {
  const { sentence, compared, without, comparisons, parts, along, ours } = view;
  const [best, ...others] = parts;
  const { words } = useLocale();
  return (
    <PageBelow {...view} {...below} pathOf={changePath} title={words.statistics.whyItChanged}>
      <section class="card change-head" aria-label={words.change.change}>
        <p class="sentence">{sentence}</p>
        <p class="hint compared">{compared}</p>
        {without !== undefined && <p class="hint">{without}</p>}
        <nav class="list-foot" aria-label={words.change.comparison}>
          <span class="pager">
            {comparisons.map(({ name, href, isChosen }) => (
              <a key={href} href={href} aria-current={isChosen ? 'true' : undefined}>
                {name}
              </a>
            ))}
          </span>
        </nav>
      </section>
      {ours.length > 0 && (
        <section class="card change-ours" aria-label={words.change.ours}>
          <h2>{words.change.ours}</h2>
          <ul>
            {ours.map(({ at, text }) => (
              <li key={`${at} ${text}`}>
                {at !== '' && <strong>{at} </strong>}
                <bdi>{text}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
      <div class="cards">
        {best !== undefined && <PartCard part={best} />}
        {along !== undefined && <PartCard part={along} />}
        {others.map((part) => (
          <PartCard key={part.title} part={part} />
        ))}
      </div>
    </PageBelow>
  );
}

function PartCard({ part: { title, head, rows, isAddedUp } }: { readonly part: PartView }) {
  const locale = useLocale();
  const { change: words } = locale.words;
  return (
    <section class="card lists" aria-label={title}>
      <div class="list">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">{head}</th>
              <th scope="col">{words.before}</th>
              <th scope="col">{words.now}</th>
              <th scope="col">{words.changed}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ label, href, before, after, change }) => (
              <tr key={label}>
                <th scope="row">
                  {href === undefined ? (
                    <span class="label">
                      <bdi>{label}</bdi>
                    </span>
                  ) : (
                    <a class="label" href={href} title={label}>
                      <bdi>{label}</bdi>
                    </a>
                  )}
                </th>
                <td>{locale.format.count(before)}</td>
                <td>{locale.format.count(after)}</td>
                <td>{signed(locale, change)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {!isAddedUp && <p class="hint">{words.several}</p>}
      </div>
    </section>
  );
}

function signed({ format }: Locale, change: number): string {
  if (change === 0) return '0';
  return `${change > 0 ? '+' : '\u2212'}${format.count(Math.abs(change))}`;
}
