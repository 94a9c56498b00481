import { pick, type Random } from './random.ts'

const SUBJECTS = ['The signal', 'A freight train', 'The night shift', 'Track seven', 'The dispatcher'] as const
const VERBS = ['waits for', 'passes', 'reports to', 'answers', 'follows'] as const
const OBJECTS = [
  'the north junction',
  'the old depot',
  'a green light',
  'the morning timetable',
  'switch four',
] as const
const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'harbour'] as const

export function sentences(random: Random): string {
  const count = 1 + Math.floor(random() * 3)
  return Array.from({ length: count }, () => sentence(random)).join(' ')
}

export function word(random: Random): string {
  return pick(random, WORDS)
}

function sentence(random: Random): string {
  return `${pick(random, SUBJECTS)} ${pick(random, VERBS)} ${pick(random, OBJECTS)}.`
}
