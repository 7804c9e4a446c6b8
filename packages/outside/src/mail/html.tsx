import { renderMail, ValueTable } from './frame.tsx';
import type { AnnotationView, FigureView, GoalView, PointView, ReportView } from './report-view.ts';
import { STYLES } from './styles.ts';

/** The report as HTML. */
export function renderHtml(view: ReportView): string {
  return renderMail(view.locale, view.subject, view.preheader, <Content view={view} />);
}

function Content({ view }: { readonly view: ReportView }) {
  const { words } = view.locale;
  const { address, period, notice, figures, points, annotations, goals, moreGoals, lists, pageUrl } = view;
  return (
    <>
      <h1 class="text" style={STYLES.title}>
        <bdi>{address}</bdi>
      </h1>
      <p class="quiet" style={STYLES.week}>
        {period}
      </p>
      {notice !== undefined && (
        <p class="notice text" style={STYLES.notice}>
          {notice}
        </p>
      )}
      <Figures figures={figures} />
      {view.findings !== undefined && (
        <p class="notice text" style={STYLES.notice}>
          {view.findings}
        </p>
      )}
      <h2 class="text" style={STYLES.heading}>
        {view.pointsTitle}
      </h2>
      <table cellSpacing="0" cellPadding="0" style={STYLES.rows}>
        {points.map((point) => (
          <PointRow key={point.name} point={point} />
        ))}
      </table>
      {annotations.length > 0 && (
        <Annotations title={words.reports.annotations} annotations={annotations} more={view.moreAnnotations} />
      )}
      {goals.length > 0 && <Goals title={words.reports.goals} goals={goals} more={moreGoals} />}
      {lists.map((list) => (
        <ValueTable key={list.title} title={list.title} rows={list.rows} />
      ))}
      {pageUrl !== undefined && (
        <p style={STYLES.action}>
          <a class="button" href={pageUrl} style={STYLES.button}>
            {words.reports.showAll}
          </a>
        </p>
      )}
      {view.changeUrl !== undefined && (
        <p style={STYLES.action}>
          <a class="accent" href={view.changeUrl} style={STYLES.link}>
            {words.statistics.whyItChanged}
          </a>
        </p>
      )}
      <Footer view={view} />
    </>
  );
}

function Figures({ figures: [first, ...others] }: { readonly figures: readonly FigureView[] }) {
  return (
    <>
      {first !== undefined && (
        <>
          <p class="text" style={STYLES.hero}>
            {first.value}
          </p>
          <p class="text" style={STYLES.heroName}>
            {first.name} <Change figure={first} />
          </p>
        </>
      )}
      <table cellSpacing="0" cellPadding="0" style={{ ...STYLES.rows, ...STYLES.figures }}>
        {others.map((figure) => (
          <tr key={figure.name}>
            <th scope="row" class="line text" style={STYLES.name}>
              {figure.name}
            </th>
            <td class="line quiet" style={STYLES.change}>
              <Change figure={figure} />
            </td>
            <td class="line text" style={STYLES.number}>
              {figure.value}
            </td>
          </tr>
        ))}
      </table>
    </>
  );
}

function Change({ figure: { change, isGood } }: { readonly figure: FigureView }) {
  if (change === undefined) return null;
  if (isGood === undefined) return <span class="quiet">{change}</span>;
  return isGood ? (
    <span class="good" style={STYLES.good}>
      {change}
    </span>
  ) : (
    <span class="bad" style={STYLES.bad}>
      {change}
    </span>
  );
}

function PointRow({ point: { name, count, share } }: { readonly point: PointView }) {
  return (
    <tr>
      <th scope="row" class="quiet" style={STYLES.day}>
        {name}
      </th>
      <td style={STYLES.chart}>
        {share > 0 && (
          <table role="presentation" cellSpacing="0" cellPadding="0" width={`${Math.ceil(share * 100)}%`}>
            <tr>
              <td class="bar" style={STYLES.bar}>
                {'\u00a0'}
              </td>
            </tr>
          </table>
        )}
      </td>
      <td class="text" style={STYLES.count}>
        {count ?? '–'}
      </td>
    </tr>
  );
}

function Annotations({
  title,
  annotations,
  more,
}: {
  readonly title: string;
  readonly annotations: readonly AnnotationView[];
  readonly more: string | undefined;
}) {
  return (
    <>
      <h2 class="text" style={STYLES.heading}>
        {title}
      </h2>
      <table cellSpacing="0" cellPadding="0" style={STYLES.rows}>
        {annotations.map(({ day, text }, index) => (
          <tr key={index}>
            <th scope="row" class="line quiet" style={STYLES.day}>
              {day}
            </th>
            <td class="line text" style={STYLES.value}>
              <bdi>{text}</bdi>
            </td>
          </tr>
        ))}
      </table>
      {more !== undefined && (
        <p class="quiet" style={STYLES.week}>
          {more}
        </p>
      )}
    </>
  );
}

function Goals({
  title,
  goals,
  more,
}: {
  readonly title: string;
  readonly goals: readonly GoalView[];
  readonly more: string | undefined;
}) {
  return (
    <>
      <h2 class="text" style={STYLES.heading}>
        {title}
      </h2>
      <table cellSpacing="0" cellPadding="0" style={STYLES.rows}>
        {goals.map((goal) => (
          <tr key={goal.name}>
            <th scope="row" class="line text" style={STYLES.value}>
              <bdi>{goal.name}</bdi>
              {goal.sum !== undefined && (
                <>
                  <br />
                  <span class="quiet" style={STYLES.quiet}>
                    {goal.sum}
                  </span>
                </>
              )}
            </th>
            <td class="line quiet" style={{ ...STYLES.change, whiteSpace: 'nowrap' }}>
              <Change figure={goal} />
            </td>
            <td class="line text" style={STYLES.number}>
              {goal.value}
            </td>
          </tr>
        ))}
      </table>
      {more !== undefined && (
        <p class="quiet" style={STYLES.week}>
          {more}
        </p>
      )}
    </>
  );
}

function Footer({ view: { locale, reason, definition, unsubscribeUrl } }: { readonly view: ReportView }) {
  return (
    <>
      <p class="quiet" style={STYLES.footer}>
        {definition}
      </p>
      <p class="quiet" style={STYLES.footer}>
        {reason}
        {unsubscribeUrl !== undefined && (
          <>
            {' '}
            <a class="accent" href={unsubscribeUrl} style={STYLES.link}>
              {locale.words.reports.stop}
            </a>
          </>
        )}
      </p>
    </>
  );
}
