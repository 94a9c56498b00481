import { type BuiltinRegistry, readBuiltinRegistry } from '../store/control/seed-registry.ts'

/** The models that this version of the gateway ships with. */
export function readBuiltinModels(): BuiltinRegistry {
  return readBuiltinRegistry()
}
