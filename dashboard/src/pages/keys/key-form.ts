import type { Body } from '../../api/client.ts'
import { type LimitsForm, limitsForm, limitsOf, limitsProblems } from '../../components/limits/limits-form.ts'
import { localInput, momentOf } from '../../format/local-input.ts'
import type { Key } from './key-list.ts'

/** A key's settings as form values. */
export interface KeyForm {
  name: string
  /** In the viewer's zone, to the minute; empty: never. */
  expires: string
  /** Empty: every model. */
  allowed: string[]
  limits: LimitsForm
}

type Settings = Omit<Key, 'id' | 'last_used_at' | 'spent_usd' | 'prefix'>

export function keyForm(key: Pick<Settings, 'name' | 'expires_at' | 'allowed_models' | 'limits'> | null): KeyForm {
  return {
    name: key?.name ?? '',
    expires: key === null || key.expires_at === null ? '' : localInput(key.expires_at),
    allowed: key?.allowed_models ?? [],
    limits: limitsForm(key?.limits ?? null),
  }
}

/** What a new key is made of: only what was filled in. */
export function newKey(form: KeyForm): Body<'keys.create'> {
  const expires_at = momentOf(form.expires)
  const limits = limitsOf(form.limits)
  return {
    name: form.name.trim(),
    ...(expires_at === null ? {} : { expires_at }),
    ...(form.allowed.length === 0 ? {} : { allowed_models: form.allowed }),
    ...(limits === null ? {} : { limits }),
  }
}

/** Only what differs: the seconds of an untouched date stay as they are. Null removes a setting. */
export function changedSettings(before: KeyForm, after: KeyForm): Body<'keys.update'> {
  const differs = (name: keyof KeyForm) => JSON.stringify(before[name]) !== JSON.stringify(after[name])
  const limits = limitsOf(after.limits)
  return {
    ...(differs('name') ? { name: after.name.trim() } : {}),
    ...(differs('expires') ? { expires_at: momentOf(after.expires) } : {}),
    ...(differs('allowed') ? { allowed_models: after.allowed.length === 0 ? null : after.allowed } : {}),
    ...(JSON.stringify(limitsOf(before.limits)) === JSON.stringify(limits) ? {} : { limits }),
  }
}

/** What can be said before anything is sent. */
export function isReady(form: KeyForm): boolean {
  return form.name.trim() !== '' && Object.keys(limitsProblems(form.limits)).length === 0
}
