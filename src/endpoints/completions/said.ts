import { saidInChoices } from '../chat-completions/said.ts'
import { objectsIn } from '../join-deltas.ts'
import { type SaidFormat, saidAt } from '../said.ts'

export const saidInText: SaidFormat = {
  whole: ({ choices }) => objectsIn(choices).flatMap((choice) => saidAt(choice, 'text')),
  event: (event) =>
    saidInChoices(event, (choice, pieceOf) =>
      saidAt(
        choice,
        'text',
        pieceOf('text', (text) => ({ text })),
      ),
    ),
}
