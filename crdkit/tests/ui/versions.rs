//! Several versions in one declaration.

#[crdkit::versions(v1, v1)]
mod twice {}

#[crdkit::versions(v1(storage), v2(storage))]
mod stored {
    #[derive(crdkit::CustomResource)]
    #[crd(group = "example.com", version = "v1", kind = "Shirt")]
    struct ShirtSpec {
        #[version(since = "v3")]
        a: i32,
        #[version(since = "v2", until = "v2")]
        b: i32,
        #[version(sinse = "v2")]
        c: i32,
    }

    enum Kind {
        #[version(since = "v4")]
        A,
    }
}

#[crdkit::versions(v1, v2)]
mod hidden {
    #[derive(crdkit::CustomResource)]
    #[crd(group = "example.com", kind = "Shirt", status = "Option<Inner>")]
    struct ShirtSpec {
        a: std::rc::Rc<Inner>,
    }

    struct Inner {
        a: i32,
    }
}

#[crdkit::versions(v1)]
mod said {
    #[derive(crdkit::CustomResource)]
    #[crd(group = "example.com", version = "v1", kind = "Shirt")]
    struct ShirtSpec {}
}

#[crdkit::versions(v1)]
mod nothing {
    struct Inner {
        a: i32,
    }
}

#[crdkit::versions(v1, v2)]
mod values {
    #[derive(crdkit::CustomResource)]
    #[crd(group = "example.com", kind = "Shirt")]
    struct ShirtSpec {
        #[version(renamed(since = "v3", from = "1a"))]
        a: i32,
        #[version(changed(since = 2, from = "Vec<", up = 1, down = "a b"))]
        b: i32,
        #[version(since = "v2", default = 1)]
        c: i32,
        #[version(changed, renamed = "d")]
        d: i32,
    }
}

#[crdkit::versions(v1, v2)]
mod unknown {
    #[derive(crdkit::CustomResource)]
    #[crd(group = "example.com", kind = "Shirt")]
    struct ShirtSpec {
        #[version(renamed(since = "v3", from = "old"))]
        a: i32,
        #[version(changed(since = "v0", from = "Vec<i32>"))]
        b: i32,
    }
}

#[crdkit::versions(v1, v1beta1)]
mod order {
    #[derive(crdkit::CustomResource)]
    #[crd(group = "example.com", kind = "Shirt")]
    struct ShirtSpec {}
}

#[crdkit::versions(v1alpha1(storage = false), v1)]
mod form {
    #[derive(crdkit::CustomResource)]
    #[crd(group = "example.com", kind = "Shirt")]
    struct ShirtSpec {}
}

fn main() {}

#[crdkit::versions(v1, v2, v3)]
mod variants {
    #[derive(crdkit::CustomResource)]
    #[crd(group = "example.com", kind = "Shirt")]
    struct ShirtSpec {
        size: Size,
    }

    enum Size {
        Small,
        #[version(since = "v2")]
        Large,
        #[version(since = "v2", instead = Larg)]
        Huge,
        #[version(since = "v2", instead = Large)]
        Wide,
        #[version(instead = Small)]
        Long,
    }

    enum Cut {
        Small,
        #[version(since = "v3", until = "v2", instead = Small)]
        Short,
        #[version(default = small)]
        Tall,
        Other {
            #[version(since = "v2")]
            name: String,
        },
    }
}
