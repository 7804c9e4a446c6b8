import { MAX_WEBHOOK_URL_BYTES, WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '@hitherto/domain/webhooks';
import { describedBy, Faults, Field } from '../../field.tsx';
import type { ControlsProps } from '../resource-pages.ts';
import { EVENTS, FORMATS } from './words.ts';

/** The settings of a webhook, whose format cannot change. */
export function Controls({ fields, faults, id }: ControlsProps) {
  const isNew = id === undefined;
  return (
    <>
      <Field name="url" label="URL" hint="Where events are sent, such as https://example.com/hook" faults={faults}>
        <input
          id="url"
          name="url"
          type="text"
          inputmode="url"
          autocomplete="off"
          spellcheck={false}
          value={fields.url}
          required
          maxLength={MAX_WEBHOOK_URL_BYTES}
          {...describedBy('url', faults)}
        />
      </Field>
      {isNew ? (
        <Field
          name="format"
          label="Format"
          hint="For Telegram, the URL of the bot has the chat: …/sendMessage?chat_id=123"
          faults={faults}
        >
          <select id="format" name="format" {...describedBy('format', faults)}>
            {WEBHOOK_FORMATS.map((format) => (
              <option key={format} value={format} selected={format === (fields.format ?? 'json')}>
                {FORMATS[format]}
              </option>
            ))}
          </select>
        </Field>
      ) : (
        <input type="hidden" name="format" value={fields.format} />
      )}
      <fieldset class="field">
        <legend>Events</legend>
        {WEBHOOK_EVENTS.map((event) => (
          <label key={event} class="check">
            <input type="checkbox" name={event} value="1" checked={fields[event] === '1'} />
            {EVENTS[event]}
          </label>
        ))}
        <Faults name="events" faults={faults} />
      </fieldset>
      <Field
        name="website_ids"
        label="Websites"
        hint="One address per line, such as example.com; empty for all websites"
        faults={faults}
      >
        <textarea
          id="website_ids"
          name="website_ids"
          rows={3}
          spellcheck={false}
          {...describedBy('website_ids', faults)}
        >
          {`\n${fields.website_ids ?? ''}`}
        </textarea>
      </Field>
      {!isNew && (
        <label class="check">
          <input type="checkbox" name="is_active" value="1" checked={fields.is_active === '1'} />
          Send events
        </label>
      )}
    </>
  );
}
