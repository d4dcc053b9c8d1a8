/**
 * The settings of a turn that switches its model (R41): those the operator wrote, with the profile as the primary, pinned to the model. Routes
 * lead to it no more, so that no credential of theirs signs for it, and no effort is classed a second time.
 */
export function switchedConfig(written: object, profile: string, model: string): object {
  return { ...written, primary: profile, model, modelRoutes: [], effortRouting: null }
}
