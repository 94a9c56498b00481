import { hashKey } from '../../domain/key.ts'
import { isGiven } from './draft-row.ts'
import type { MappedConfig } from './mapped-config.ts'
import { approximate, manual, type Notes } from './notes.ts'
import type { LitellmSource } from './source.ts'
import { currentValue, type Environment, variableOf } from './written-value.ts'

const SHORTEST = 16
const ADVICE = 'works unchanged for callers; make admin keys of your own, and a key for each caller'

/** The master key goes on as the gateway key `litellm-master`, by its hash. */
export function mapMasterKey(
  { general }: LitellmSource,
  { notes, environment }: { notes: Notes; environment: Environment },
): MappedConfig['masterKey'] {
  const written = general.values['master_key']
  const value = currentValue(isGiven(written) ? written : 'os.environ/LITELLM_MASTER_KEY', environment)
  if (typeof value !== 'string' || value === '') {
    const variable = variableOf(written)
    if (variable !== null)
      notes.add(general, 'master_key', manual(`set ${variable} and import again: its key is needed now`, 'tighter'))
    else
      notes.general(
        'general_settings.master_key',
        manual(
          'there is none, so LiteLLM serves anyone; here every caller needs a key: create one and give it to them',
          'tighter',
        ),
      )
    return null
  }
  const isGuessable = value.length < SHORTEST
  const message = isGuessable ? `${ADVICE}; it is short enough to be guessed: replace it soon` : ADVICE
  if (isGiven(written)) notes.add(general, 'master_key', approximate('key litellm-master', message))
  else notes.general('LITELLM_MASTER_KEY', approximate('key litellm-master', message))
  return { hash: hashKey(value), isGuessable }
}
