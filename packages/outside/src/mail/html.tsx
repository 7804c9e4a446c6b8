import { renderMail, TitledRows, useStyles, ValueTable } from './frame.tsx';
import type { AnnotationView, FigureView, GoalView, PointView, ReportView } from './report-view.ts';

/** The report as HTML. */
export function renderHtml(view: ReportView): string {
  const { locale, brand, subject, preheader } = view;
  return renderMail({ locale, brand, subject, preheader, content: <Content view={view} /> });
}

function Content({ view }: { readonly view: ReportView }) {
  const styles = useStyles();
  const { words } = view.locale;
  const { address, period, notice, figures, points, annotations, goals, moreGoals, lists, pageUrl } = view;
  return (
    <>
      <h1 class="text" style={styles.title}>
        <bdi>{address}</bdi>
      </h1>
      <p class="quiet" style={styles.week}>
        {period}
      </p>
      {notice !== undefined && (
        <p class="notice text" style={styles.notice}>
          {notice}
        </p>
      )}
      <Figures figures={figures} />
      {view.findings !== undefined && (
        <p class="notice text" style={styles.notice}>
          {view.findings}
        </p>
      )}
      <TitledRows title={view.pointsTitle}>
        {points.map((point) => (
          <PointRow key={point.name} point={point} />
        ))}
      </TitledRows>
      {annotations.length > 0 && (
        <Annotations title={words.reports.annotations} annotations={annotations} more={view.moreAnnotations} />
      )}
      {goals.length > 0 && <Goals title={words.reports.goals} goals={goals} more={moreGoals} />}
      {lists.map((list) => (
        <ValueTable key={list.title} title={list.title} rows={list.rows} />
      ))}
      {pageUrl !== undefined && (
        <p style={styles.action}>
          <a class="button" href={pageUrl} style={styles.button}>
            {words.reports.showAll}
          </a>
        </p>
      )}
      {view.changeUrl !== undefined && (
        <p style={styles.action}>
          <a class="accent" href={view.changeUrl} style={styles.link}>
            {words.statistics.whyItChanged}
          </a>
        </p>
      )}
      <Footer view={view} />
    </>
  );
}

function Figures({ figures: [first, ...others] }: { readonly figures: readonly FigureView[] }) {
  const styles = useStyles();
  return (
    <>
      {first !== undefined && (
        <>
          <p class="text" style={styles.hero}>
            {first.value}
          </p>
          <p class="text" style={styles.heroName}>
            {first.name} <Change figure={first} />
          </p>
        </>
      )}
      <table cellSpacing="0" cellPadding="0" style={{ ...styles.rows, ...styles.figures }}>
        {others.map((figure) => (
          <tr key={figure.name}>
            <th scope="row" class="line text" style={styles.name}>
              {figure.name}
            </th>
            <td class="line quiet" style={styles.change}>
              <Change figure={figure} />
            </td>
            <td class="line text" style={styles.number}>
              {figure.value}
            </td>
          </tr>
        ))}
      </table>
    </>
  );
}

function Change({ figure: { change, isGood } }: { readonly figure: FigureView }) {
  const styles = useStyles();
  if (change === undefined) return null;
  if (isGood === undefined) return <span class="quiet">{change}</span>;
  return isGood ? (
    <span class="good" style={styles.good}>
      {change}
    </span>
  ) : (
    <span class="bad" style={styles.bad}>
      {change}
    </span>
  );
}

function PointRow({ point: { name, count, share } }: { readonly point: PointView }) {
  const styles = useStyles();
  return (
    <tr>
      <th scope="row" class="quiet" style={styles.day}>
        {name}
      </th>
      <td style={styles.chart}>
        {share > 0 && (
          <table role="presentation" cellSpacing="0" cellPadding="0" width={`${Math.ceil(share * 100)}%`}>
            <tr>
              <td class="bar" style={styles.bar}>
                {'\u00a0'}
              </td>
            </tr>
          </table>
        )}
      </td>
      <td class="text" style={styles.count}>
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
  const styles = useStyles();
  return (
    <TitledRows title={title} more={more}>
      {annotations.map(({ day, text }, index) => (
        <tr key={index}>
          <th scope="row" class="line quiet" style={styles.day}>
            {day}
          </th>
          <td class="line text" style={styles.value}>
            <bdi>{text}</bdi>
          </td>
        </tr>
      ))}
    </TitledRows>
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
  const styles = useStyles();
  return (
    <TitledRows title={title} more={more}>
      {goals.map((goal) => (
        <tr key={goal.name}>
          <th scope="row" class="line text" style={styles.value}>
            <bdi>{goal.name}</bdi>
            {goal.sum !== undefined && (
              <>
                <br />
                <span class="quiet" style={styles.quiet}>
                  {goal.sum}
                </span>
              </>
            )}
          </th>
          <td class="line quiet" style={{ ...styles.change, whiteSpace: 'nowrap' }}>
            <Change figure={goal} />
          </td>
          <td class="line text" style={styles.number}>
            {goal.value}
          </td>
        </tr>
      ))}
    </TitledRows>
  );
}

function Footer({ view: { locale, reason, definition, unsubscribeUrl } }: { readonly view: ReportView }) {
  const styles = useStyles();
  return (
    <>
      <p class="quiet" style={styles.footer}>
        {definition}
      </p>
      <p class="quiet" style={styles.footer}>
        {reason}
        {unsubscribeUrl !== undefined && (
          <>
            {' '}
            <a class="accent" href={unsubscribeUrl} style={styles.link}>
              {locale.words.reports.stop}
            </a>
          </>
        )}
      </p>
    </>
  );
}
