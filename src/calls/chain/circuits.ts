import {
  afterAbandoned,
  afterFailure,
  afterStart,
  afterSuccess,
  type Circuit,
  type CircuitState,
  circuitState,
  isSkipped,
  NEW_CIRCUIT,
} from '../../domain/circuit.ts'
import type { Failure } from '../../domain/failure.ts'
import type { ChainEntry } from '../../domain/route.ts'
import type { IsKnown } from '../models/known-models.ts'

/** The circuits of this process, one per provider and model. */
export interface Circuits {
  isSkipped(entry: ChainEntry): boolean
  state(entry: ChainEntry): CircuitState
  started(entry: ChainEntry): void
  succeeded(entry: ChainEntry): void
  failed(entry: ChainEntry, failure: Failure): void
  abandoned(entry: ChainEntry): void
  /** Until then it is skipped if another entry can serve; null unless open. */
  states(): Iterable<CircuitView>
  /** Another thread has opened or closed it. */
  adopt(entry: CircuitEntry, circuit: Circuit): void
}

export interface CircuitView {
  provider: string
  model: string
  state: CircuitState
  until: number | null
}

type CircuitEntry = Pick<ChainEntry, 'provider' | 'model'>

/** `onChange`: it opens, closes, or is to stay open longer. */
export function createCircuits(
  now: () => number,
  isKnown: IsKnown,
  onChange: (entry: CircuitEntry, circuit: Circuit) => void = () => {},
): Circuits {
  const circuits = new Map<string, Map<string, Circuit>>()

  function read(entry: CircuitEntry): Circuit {
    return circuits.get(entry.provider)?.get(entry.model) ?? NEW_CIRCUIT
  }

  function write(entry: CircuitEntry, circuit: Circuit): void {
    const before = read(entry).openUntil
    keep(entry, circuit)
    if (before !== circuit.openUntil) onChange(entry, circuit)
  }

  /** Only unhealthy circuits of known models are kept: callers must not be able to fill the memory. */
  function keep(entry: CircuitEntry, circuit: Circuit): void {
    const models = circuits.get(entry.provider)
    if (circuit === NEW_CIRCUIT) {
      models?.delete(entry.model)
      return
    }
    if (!isKnown(entry.provider, entry.model)) return
    if (models !== undefined) models.set(entry.model, circuit)
    else circuits.set(entry.provider, new Map([[entry.model, circuit]]))
  }

  return {
    isSkipped: (entry) => isSkipped(read(entry), now()),
    state: (entry) => circuitState(read(entry), now()),
    started: (entry) => write(entry, afterStart(read(entry), now())),
    succeeded: (entry) => write(entry, afterSuccess(read(entry), now())),
    failed: (entry, failure) => write(entry, afterFailure(read(entry), failure, now())),
    abandoned: (entry) => write(entry, afterAbandoned(read(entry))),
    adopt: (entry, circuit) => keep(entry, circuit.openUntil === 0 ? NEW_CIRCUIT : circuit),
    *states() {
      for (const [provider, models] of circuits) {
        for (const [model, circuit] of models) {
          const state = circuitState(circuit, now())
          yield { provider, model, state, until: state === 'open' ? circuit.openUntil : null }
        }
      }
    },
  }
}
