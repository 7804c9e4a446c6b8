import type { NoticeMail } from '@hitherto/domain/reports';
import { renderMail, useStyles, ValueTable } from './frame.tsx';
import { padStart, plainText, widthOf, wrapped } from './text.ts';

const COLUMNS = 72;
const INDENT = '  ';
/** Longer strings from outside are cut. */
const MAX_LENGTH = 300;

/** The notice with each string on one line, without characters that could harm. */
export function cleanNotice(mail: NoticeMail): NoticeMail {
  const clean = (text: string) => plainText(text, MAX_LENGTH);
  return {
    ...mail,
    subject: clean(mail.subject),
    title: clean(mail.title),
    paragraphs: mail.paragraphs.map((text) => plainText(text, 3 * MAX_LENGTH)),
    brand: mail.brand && { ...mail.brand, name: mail.brand.name && clean(mail.brand.name) },
    lists: mail.lists.map(({ title, rows }) => ({
      title: clean(title),
      rows: rows.map(({ value, count }) => ({ value: clean(value), count: clean(count) })),
    })),
  };
}

/** The notice for programs that show text alone. */
export function renderNoticeText({ title, paragraphs, lists, link }: NoticeMail): string {
  const blocks = [
    wrapped(title, COLUMNS),
    ...paragraphs.map((text) => wrapped(text, COLUMNS)),
    ...lists.map(({ title: name, rows }) => {
      const counts = Math.max(0, ...rows.map(({ count }) => widthOf(count)));
      const columns = COLUMNS - 2 * INDENT.length - counts;
      return [
        name,
        ...rows.map(({ value, count }) => INDENT + padStart(count, counts) + INDENT + plainText(value, columns)),
      ];
    }),
    ...(link === undefined ? [] : [[`${link.label}:`, link.url]]),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** The notice as HTML, in the frame of reports. */
export function renderNoticeHtml(mail: NoticeMail): string {
  const preheader = mail.paragraphs[0] ?? '';
  return renderMail({
    locale: mail.locale,
    brand: mail.brand,
    subject: mail.subject,
    preheader,
    content: <Notice mail={mail} />,
  });
}

function Notice({ mail: { title, paragraphs, lists, link } }: { readonly mail: NoticeMail }) {
  const styles = useStyles();
  return (
    <>
      <h1 class="text" style={styles.title}>
        {title}
      </h1>
      {paragraphs.map((text) => (
        <p key={text} class="text" style={styles.paragraph}>
          {text}
        </p>
      ))}
      {lists.map((list) => (
        <ValueTable key={list.title} title={list.title} rows={list.rows} />
      ))}
      {link !== undefined && (
        <p style={styles.action}>
          <a class="button" href={link.url} style={styles.button}>
            {link.label}
          </a>
        </p>
      )}
    </>
  );
}
