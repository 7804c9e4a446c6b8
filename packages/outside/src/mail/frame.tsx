import type { NoticeRow } from '@hitherto/domain/reports';
import type { Locale } from '@hitherto/words';
import type { ComponentChildren } from 'preact';
import { render } from 'preact-render-to-string';
import { STYLE_SHEET, STYLES } from './styles.ts';

/** A mail as HTML that mail programs show: tables, inline styles, no images, no request to anywhere. */
export function renderMail(
  { language, direction }: Locale,
  subject: string,
  preheader: string,
  content: ComponentChildren,
): string {
  return `<!doctype html>${render(
    <html lang={language} dir={direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{subject}</title>
        <style>{STYLE_SHEET}</style>
      </head>
      <body class="ground text" style={STYLES.body}>
        <div style={STYLES.preheader}>{preheader}</div>
        <table role="presentation" class="ground" cellSpacing="0" cellPadding="0" style={STYLES.outer}>
          <tr>
            <td class="page" align="center" style={STYLES.page}>
              <table role="presentation" cellSpacing="0" cellPadding="0" style={STYLES.inner}>
                <tr>
                  <td class="card line text" style={STYLES.card}>
                    {content}
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

/** Values with their numbers, under a title. */
export function ValueTable({ title, rows }: { readonly title: string; readonly rows: readonly NoticeRow[] }) {
  return (
    <>
      <h2 class="text" style={STYLES.heading}>
        {title}
      </h2>
      <table cellSpacing="0" cellPadding="0" style={STYLES.rows}>
        {rows.map(({ value, count }) => (
          <tr key={value}>
            <th scope="row" class="line text" style={STYLES.value}>
              <bdi>{value}</bdi>
            </th>
            <td class="line text" style={STYLES.number}>
              {count}
            </td>
          </tr>
        ))}
      </table>
    </>
  );
}
