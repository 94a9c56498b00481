import { Page } from '../../components/page.tsx'

export function RegistryPage() {
  return <Page title="Registry" />
}
