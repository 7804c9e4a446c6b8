import type { MailBrand } from '@hitherto/domain/access';
import type { NoticeRow } from '@hitherto/domain/reports';
import type { Locale } from '@hitherto/words';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { render } from 'preact-render-to-string';
import { MARK, type Styles, styleSheet, stylesFor } from './styles.ts';

const StylesContext = createContext<Styles>(stylesFor('ltr', null));

/** The inline styles of the mail. */
export function useStyles(): Styles {
  return useContext(StylesContext);
}

/** The Content-ID of the logo, which the mail has in itself. */
export const LOGO_ID = 'logo@hitherto';

interface MailFrame {
  readonly locale: Locale;
  readonly brand: MailBrand | undefined;
  readonly subject: string;
  readonly preheader: string;
  readonly content: ComponentChildren;
}

/** A mail as HTML that mail programs show: tables, inline styles, no request to anywhere. */
export function renderMail({ locale: { language, direction }, brand, subject, preheader, content }: MailFrame): string {
  const accent = brand?.accent ?? null;
  const styles = stylesFor(direction, accent);
  return `<!doctype html>${render(
    <html lang={language} dir={direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{subject}</title>
        <style>{styleSheet(accent)}</style>
      </head>
      <body class="ground text" style={styles.body}>
        <div style={styles.preheader}>{preheader}</div>
        <table role="presentation" class="ground" cellSpacing="0" cellPadding="0" style={styles.outer}>
          <tr>
            <td class="page" align="center" style={styles.page}>
              <table role="presentation" cellSpacing="0" cellPadding="0" style={styles.inner}>
                <tr>
                  {/* Programs that show mails in a page of theirs leave out the document's own attributes. */}
                  <td class="card line text" lang={language} dir={direction} style={styles.card}>
                    <StylesContext.Provider value={styles}>
                      <BrandLine brand={brand} />
                      {content}
                    </StylesContext.Provider>
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>,
  )}`;
}

/** The logo and the name of the account whose mail it is, or the mark of the product. */
function BrandLine({ brand }: { readonly brand: MailBrand | undefined }) {
  const styles = useStyles();
  if (brand === undefined || (brand.name === null && brand.logo === null)) return <Mark />;
  const { name, logo } = brand;
  return (
    <p class="text" style={styles.brand}>
      {logo !== null && <img src={`cid:${LOGO_ID}`} alt="" height="40" style={styles.logo} />}
      {logo !== null && name !== null && '\u00a0\u00a0'}
      {name !== null && <bdi>{name}</bdi>}
    </p>
  );
}

const BARS = [
  { left: 7, height: 6 },
  { left: 3, height: 14 },
  { left: 3, height: 9 },
] as const;

/** Drawn with cells: images would have to be loaded, or sent with each mail. */
function Mark() {
  const styles = useStyles();
  return (
    <table role="presentation" dir="ltr" width="32" cellSpacing="0" cellPadding="0" style={styles.mark}>
      <tr>
        {BARS.map(({ left, height }, index) => (
          <td key={left + height} style={{ ...styles.markCell, padding: `0 ${index === 2 ? 7 : 0}px 9px ${left}px` }}>
            <div style={{ width: '4px', height: `${height}px`, backgroundColor: MARK.bars[index] ?? '' }}>
              {'\u00a0'}
            </div>
          </td>
        ))}
      </tr>
    </table>
  );
}

/** Rows under a title, and perhaps how many more there are. */
export function TitledRows({
  title,
  more,
  children,
}: {
  readonly title: string;
  readonly more?: string | undefined;
  readonly children: ComponentChildren;
}) {
  const styles = useStyles();
  return (
    <>
      <h2 class="text" style={styles.heading}>
        {title}
      </h2>
      <table cellSpacing="0" cellPadding="0" style={styles.rows}>
        {children}
      </table>
      {more !== undefined && (
        <p class="quiet" style={styles.week}>
          {more}
        </p>
      )}
    </>
  );
}

/** Values with their numbers, under a title. */
export function ValueTable({ title, rows }: { readonly title: string; readonly rows: readonly NoticeRow[] }) {
  const styles = useStyles();
  return (
    <TitledRows title={title}>
      {rows.map(({ value, count }) => (
        <tr key={value}>
          <th scope="row" class="line text" style={styles.value}>
            <bdi>{value}</bdi>
          </th>
          <td class="line text" style={styles.number}>
            {count}
          </td>
        </tr>
      ))}
    </TitledRows>
  );
}
