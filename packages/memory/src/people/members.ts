import type { Member, SignedInPerson } from '@hitherto/domain/people';
import type { State } from '../state.ts';

/** The memberships of a person, by account. */
export function membershipsIn(state: State, personId: string): Member[] {
  const own = state.members.filter((each) => each.personId === personId);
  return own.toSorted((a, b) => (a.accountId > b.accountId ? 1 : -1));
}

/** The members of an account, the oldest first. */
export function membersIn(state: State, accountId: string): Member[] {
  const own = state.members.filter((each) => each.accountId === accountId);
  return own.toSorted((a, b) => +a.createdAt - +b.createdAt || (a.personId > b.personId ? 1 : -1));
}

export function findMember(state: State, accountId: string, personId: string): Member | undefined {
  return state.members.find((each) => each.accountId === accountId && each.personId === personId);
}

/** Whether a person has a second factor, and whether one of their accounts requires it. */
export function secondFactorOf(state: State, personId: string): SignedInPerson['secondFactor'] {
  const isRequired = membershipsIn(state, personId).some(
    ({ accountId }) => state.accounts.get(accountId)?.account.requiresSecondFactor,
  );
  return { isOn: state.secondFactors.has(personId), isRequired };
}
