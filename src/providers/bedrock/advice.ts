/** What an operator can do about an error whose own words do not say it. */
interface Advice {
  when: RegExp
  words: string
}

const ADVICE: readonly Advice[] = [
  {
    when: /signature (?:expired|not yet current)/i,
    words: "The clock of this machine is more than five minutes off the provider's: set its time (NTP).",
  },
  {
    when: /scoped to a valid region|scoped to correct service/i,
    words: 'settings.region is not the region of the address.',
  },
  {
    when: /^ExpiredToken|security token included in the request is expired|token has expired/i,
    words: 'The session token has expired: set a new one, or use a source that renews it.',
  },
  {
    when: /^UnrecognizedClient|^InvalidClientTokenId|security token included in the request is invalid/i,
    words: 'The access key is not known: check access_key_id, and the session token that belongs to it.',
  },
  {
    when: /^InvalidSignature|^SignatureDoesNotMatch/,
    words: 'The signature does not fit: check secret_access_key.',
  },
  {
    when: /access to the model|model access|aws-marketplace/i,
    words: 'The account has no access to this model in this region: ask for it in the console of the provider.',
  },
  {
    when: /is not authorized to perform|no identity-based policy/i,
    words: 'The key, user or role lacks a permission: a policy must allow it.',
  },
  {
    when: /on-demand throughput isn.t supported/i,
    words: 'This model is called by an inference profile: put us., eu., apac. or global. before its id.',
  },
  {
    when: /model identifier is invalid/i,
    words: 'There is no such model in this region.',
  },
]

/** Null: the provider's words are enough. */
export function adviceOn({ name, message }: { name: string; message: string }): string | null {
  return ADVICE.find(({ when }) => when.test(name) || when.test(message))?.words ?? null
}
