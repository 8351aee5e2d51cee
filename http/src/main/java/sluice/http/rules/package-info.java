/// Rules of a site by path: fields of replies ([HeaderRule]), redirects ([RedirectRule]), and
/// access by clients ([AccessRule]). [SiteRules] combines them.
@org.jspecify.annotations.NullMarked
package sluice.http.rules;
