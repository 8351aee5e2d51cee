package sluice.http.service;

import sluice.http.rules.SiteRules;
import sluice.http.site.Site;

/// The settings with which a loop serves a site.
///
/// @param cacheBytes memory for ready replies; 0 keeps none
/// @param rules by path
/// @param watches most inotify watches, at least 2; 0 for none: each hit then asks the file system
///   if its file is unchanged
public record SiteSettings(Site site, long cacheBytes, SiteRules rules, int watches) {}
