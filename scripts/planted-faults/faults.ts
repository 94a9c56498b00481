import { DOOR_FAULTS } from './door-faults.ts'
import type { Fault } from './fault.ts'
import { MONEY_FAULTS } from './money-faults.ts'

export const FAULTS: readonly Fault[] = [...MONEY_FAULTS, ...DOOR_FAULTS]
