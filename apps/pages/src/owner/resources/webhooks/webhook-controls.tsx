import { MAX_WEBHOOK_URL_BYTES, WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '@hitherto/domain/webhooks';
import { Faults, SelectField, TextAreaField, TextField } from '../../field.tsx';
import type { ControlsProps } from '../resource-pages.ts';
import { EVENTS, FORMATS } from './words.ts';

/** The settings of a webhook, whose format cannot change. */
export function Controls({ fields, faults, id }: ControlsProps) {
  const isNew = id === undefined;
  return (
    <>
      <TextField
        name="url"
        label="URL"
        hint="Where events are sent, such as https://example.com/hook"
        value={fields.url}
        faults={faults}
        type="text"
        inputmode="url"
        autocomplete="off"
        spellcheck={false}
        required
        maxLength={MAX_WEBHOOK_URL_BYTES}
      />
      {isNew ? (
        <SelectField
          name="format"
          label="Format"
          hint="For Telegram, the URL of the bot has the chat: …/sendMessage?chat_id=123"
          value={fields.format}
          faults={faults}
          options={WEBHOOK_FORMATS.map((format) => [format, FORMATS[format]])}
        />
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
      <TextAreaField
        name="website_ids"
        label="Websites"
        hint="One address per line, such as example.com; empty for all websites"
        value={fields.website_ids}
        faults={faults}
        rows={3}
      />
      {!isNew && (
        <label class="check">
          <input type="checkbox" name="is_active" value="1" checked={fields.is_active === '1'} />
          Send events
        </label>
      )}
    </>
  );
}
