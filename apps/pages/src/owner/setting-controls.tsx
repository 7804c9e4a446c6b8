import type { Fault } from '@hitherto/domain/base';
import { type SettingName, TIME_ZONE_NAMES } from '@hitherto/domain/websites';
import { LANGUAGE_TABLE, LANGUAGES } from '@hitherto/words';
import type { JSX } from 'preact';
import { Faults, SelectField, TextAreaField, TextField } from './field.tsx';

interface ControlProps {
  /** The name of the field. */
  readonly name: string;
  readonly value: string | undefined;
  readonly faults: readonly Fault[];
}

type Control = (props: ControlProps) => JSX.Element;

/** The controls of the settings, in the order of the form. */
export const CONTROLS: Readonly<Record<SettingName, Control>> = {
  privacy: choice('Statistics page', [
    ['Public', 'Everyone can see the statistics page.'],
    ['Private', 'Only you can see it, when you are signed in.'],
    ['Password', 'Everyone who knows the password can see it.'],
  ]),
  excludeBots: check('Exclude common bots', 'Also excludes known referrer spam.'),
  emailReports: check('Reports by e-mail', 'To the e-mail address of your account.'),
  report: choice('Which reports', [
    ['Weekly', 'Every Monday, about the week before.'],
    ['Monthly', 'On the first of a month, about the month before.'],
    ['Both', 'Weekly and monthly.'],
  ]),
  excludedParams: lines(
    'Query parameters to exclude',
    'One name per line. utm_* matches all names that begin with utm_, and * matches all names.',
  ),
  excludedIps: lines(
    'IP addresses to exclude',
    'One address or network per line, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.',
  ),
  timeZone: line(
    'Time zone',
    'In which the days of the website begin and end, such as Europe/Berlin; empty for the time zone of this installation. A change affects later hits only.',
    TIME_ZONE_NAMES,
  ),
  aliases: lines(
    'Aliases',
    'Names by which trackers of other products know the website, one per line: an id of Umami, a domain or pa-… id of Plausible, matomo:3 for site 3 of Matomo, goatcounter:blog for the code of GoatCounter.',
  ),
  embedOrigins: lines(
    'Sites that may embed the statistics',
    'One origin per line, such as https://example.com, or just * for all. Their pages may show the statistics page and its links in a frame.',
  ),
  label: line('Label', 'A word of yours by which the list of websites groups them, such as the name of a client.'),
  language: pick(
    'Language of mails',
    'Of mails about this website to whoever has chosen none; empty for the language of this installation.',
    LANGUAGES.map((language) => [language, LANGUAGE_TABLE[language].name]),
  ),
};

/** A choice among values that the numbers from 0 stand for. */
function choice(legend: string, options: readonly (readonly [name: string, meaning: string])[]): Control {
  return ({ name, value, faults }) => (
    <fieldset class="field choice">
      <legend>{legend}</legend>
      {options.map(([option, meaning], number) => (
        <label key={option}>
          <input type="radio" name={name} value={number} checked={value === String(number)} required />
          <span>
            <strong>{option}</strong> {meaning}
          </span>
        </label>
      ))}
      <Faults name={name} faults={faults} />
    </fieldset>
  );
}

function check(label: string, hint: string): Control {
  return ({ name, value }) => (
    <div class="field">
      {/* Browsers leave out a checkbox that is not checked, and a setting that a form leaves out does not change. */}
      <input type="hidden" name={name} value="0" />
      <label class="check">
        <input type="checkbox" name={name} value="1" checked={value === '1'} aria-describedby={`${name}-hint`} />
        {label}
      </label>
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    </div>
  );
}

/** A choice in a menu, or none. */
function pick(label: string, hint: string, options: readonly (readonly [value: string, name: string])[]): Control {
  return ({ name, value, faults }) => (
    <SelectField
      name={name}
      label={label}
      hint={hint}
      options={[['', '–'], ...options]}
      value={value}
      faults={faults}
    />
  );
}

/** One line of text, with values to choose from if there are any. */
function line(label: string, hint: string, offered: readonly string[] = []): Control {
  return ({ name, value, faults }) => (
    <TextField
      name={name}
      label={label}
      hint={hint}
      value={value}
      faults={faults}
      list={offered.length === 0 ? undefined : `${name}-list`}
      autocomplete="off"
      spellcheck={false}
    >
      {offered.length > 0 && (
        <datalist id={`${name}-list`}>
          {offered.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </TextField>
  );
}

/** A list, one entry a line. */
function lines(label: string, hint: string): Control {
  return (props) => <TextAreaField {...props} label={label} hint={hint} rows={5} />;
}
