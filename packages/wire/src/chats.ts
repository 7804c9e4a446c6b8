import type { WebhookFormat, WebhookMessage } from '@hitherto/domain/webhooks';

// How chat services read text. Values come from visitors: none may become a link, an image, a mention or formatting.

/** How messages are written for a chat service. */
interface Chat {
  /** Writes a string on one line so that the service shows it as it is. */
  show(text: string): string;
  /** The message of a text whose values are written by `show`. */
  write(text: string, url: string): Pick<WebhookMessage, 'url' | 'body'>;
}

const MAX_DISCORD_LENGTH = 2_000;
const MAX_TELEGRAM_LENGTH = 4_096;
/** The flag of a Discord message whose links are not unfurled. */
const SUPPRESS_EMBEDS = 4;

/** The dots of `www.` and in front of the last part of a host with a path, which also make a link without a scheme. */
const LINKING_DOT = /(?<=www\d{0,3})\.|\.(?=\p{L}+\/)/giu;
/** The colon of a scheme or an emoji, but not of a sentence. */
const JOINING_COLON = /:(?=\S)/g;

export const CHATS: Readonly<Record<Exclude<WebhookFormat, 'json'>, Chat>> = {
  slack: {
    // Slack reads `<…>` as links and mentions. It has no escapes for other markup, but can leave it alone.
    show: withoutLinks,
    write: (text, url) => ({
      url,
      body: JSON.stringify({ text: escapeForSlack(text), mrkdwn: false, unfurl_links: false, unfurl_media: false }),
    }),
  },
  discord: {
    // A backslash escapes whatever is neither a letter nor a digit.
    show: (text) =>
      text
        .replace(/[\\`*_~[\]()!<>|#@]/g, '\\$&')
        .replace(JOINING_COLON, '\\:')
        .replace(LINKING_DOT, '\\.'),
    write: (text, url) => ({
      url,
      body: JSON.stringify({
        content: cut(text, MAX_DISCORD_LENGTH),
        allowed_mentions: { parse: [] },
        flags: SUPPRESS_EMBEDS,
      }),
    }),
  },
  mattermost: {
    // It reads hashtags, channels, emoji and formulas after escapes, but does not look into entities.
    show: (text) =>
      text
        .replace(/[&<~#$]/g, entityOf)
        .replace(JOINING_COLON, entityOf)
        .replace(/[\\`*_[\]()!>|]/g, '\\$&')
        .replace(LINKING_DOT, '\\.'),
    write: (text, url) => ({ url, body: JSON.stringify({ text: withoutMentions(text) }) }),
  },
  telegram: {
    // Without `parse_mode`, only links are read.
    show: withoutLinks,
    write: (text, url) => {
      const target = new URL(url);
      const chatId = target.searchParams.get('chat_id');
      target.searchParams.delete('chat_id');
      const body = {
        chat_id: chatId,
        text: cut(text, MAX_TELEGRAM_LENGTH),
        link_preview_options: { is_disabled: true },
      };
      return { url: target.href, body: JSON.stringify(body) };
    },
  },
};

/** Slack and Telegram make links of schemes, hosts, mentions, hashtags and commands, and have no escapes against it. */
function withoutLinks(text: string): string {
  return text.replace(/(?<!\S)\/|[@#]|:(?=\S)|\.(?=\p{L})/gu, '$&\u200b');
}

function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Mattermost reads `@here`, and like Slack `<!here>`, as mentions. */
function withoutMentions(text: string): string {
  return text.replaceAll('@', '@\u200b').replaceAll('<!', '<\u200b!');
}

function entityOf(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}

/** Cuts in front of a character that does not fit whole. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
