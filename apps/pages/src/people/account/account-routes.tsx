import { type AccessDependencies, type Account, type AccountInput, updateAccount } from '@hitherto/domain/access';
import { DomainError, type Fault, InvalidFields } from '@hitherto/domain/base';
import { isOfKey } from '@hitherto/domain/people';
import type { Locale } from '@hitherto/words';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Faults, TextField } from '../../owner/field.tsx';
import { authorOf, signedInOf } from '../../owner/session.ts';
import { type Body, valuesIn } from '../../shared/form.ts';
import { localeFor } from '../../shared/locale.tsx';
import { sendPage } from '../../shared/page.tsx';
import { accountPath } from '../../shared/paths.ts';
import { queryParameters } from '../../shared/request.ts';
import { AccountFrame, accountIn, type OfAccount, type OwnAccount } from './own-account.tsx';

type Values = Readonly<Record<string, string>>;

/** The name and the address of an account, and whether it requires a second factor; the scope is of its owners. */
export function accountRoutes(scope: FastifyInstance, deps: AccessDependencies): void {
  scope.get<OfAccount>(accountPath(':id'), async (request, reply) => {
    const account = await accountIn(deps, request);
    return send(request, reply, account, formOf(account), []);
  });

  scope.post<OfAccount & Body>(accountPath(':id'), async (request, reply) => {
    const account = await accountIn(deps, request);
    const values = valuesIn(request.body);
    try {
      const input = inputOf(values);
      if (input.requiresSecondFactor === true) requireOwnSecondFactor(request);
      await updateAccount({ ...deps, author: authorOf(request) }, account.id, input);
      return reply.redirect(`${accountPath(account.id)}?saved`, 303);
    } catch (error) {
      return send(
        request,
        reply.code(isTaken(error) ? 409 : 422),
        account,
        values,
        faultsOf(error, localeFor(request)),
      );
    }
  });
}

function formOf({ name, email, requiresSecondFactor }: Account): Values {
  return { name, email: email?.address ?? '', requires_second_factor: requiresSecondFactor ? '1' : '' };
}

/** What differs from what the form showed: an untouched field does not undo a change made elsewhere meanwhile. */
function inputOf(values: Values): AccountInput {
  const { name = '', email = '', requires_second_factor: isRequired = '' } = values;
  const differs = (field: string, value: string) => value !== (values[`shown_${field}`] ?? '');
  return {
    ...(differs('name', name) && { name: name.trim() }),
    ...(differs('email', email) && { address: email.trim() === '' ? null : email.trim() }),
    ...(differs('requires_second_factor', isRequired) && { requiresSecondFactor: isRequired === '1' }),
  };
}

/** Who requires a second factor of others has shown that it can be turned on here, and is not led out of the account. */
function requireOwnSecondFactor(request: FastifyRequest): void {
  const signedIn = signedInOf(request);
  if (isOfKey(signedIn) || signedIn.secondFactor.isOn) return;
  const detail = localeFor(request).words.people.ownFactorFirst;
  throw new InvalidFields([{ field: 'requires_second_factor', code: 'not_allowed', detail }]);
}

function isTaken(error: unknown): error is DomainError {
  return error instanceof DomainError && error.code === 'name_taken';
}

function faultsOf(error: unknown, { words }: Locale): readonly Fault[] {
  if (isTaken(error)) return [{ field: 'name', code: 'not_allowed', detail: words.people.accountTaken }];
  if (!(error instanceof InvalidFields)) throw error;
  return error.faults;
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  account: OwnAccount,
  values: Values,
  faults: readonly Fault[],
): FastifyReply {
  const { people, signIn } = localeFor(request).words;
  return sendPage(
    reply,
    <AccountFrame request={request} account={account} page="account">
      {queryParameters(request).has('saved') && (
        <p class="notice" role="status">
          {people.saved}
        </p>
      )}
      <form class="settings" method="post" action={accountPath(account.id)}>
        {Object.entries(formOf(account)).map(([field, value]) => (
          <input key={field} type="hidden" name={`shown_${field}`} value={value} />
        ))}
        <TextField name="name" label={signIn.name} value={values.name} required maxLength={100} faults={faults} />
        <TextField
          name="email"
          label={signIn.email}
          hint={people.reportsHint}
          type="email"
          value={values.email}
          maxLength={254}
          faults={faults}
        />
        <div class="field choice">
          <label>
            <input
              type="checkbox"
              name="requires_second_factor"
              value="1"
              checked={values.requires_second_factor === '1'}
            />
            <span>{people.requireFactor}</span>
          </label>
          <Faults name="requires_second_factor" faults={faults} />
        </div>
        <button type="submit">{people.save}</button>
      </form>
    </AccountFrame>,
  );
}
