/// Rules of a site by path: fields of replies ([HeaderRule]), redirects ([RedirectRule]), and which
/// clients may have what ([AccessRule]). Together: [SiteRules].
@org.jspecify.annotations.NullMarked
package sluice.http.rules;
